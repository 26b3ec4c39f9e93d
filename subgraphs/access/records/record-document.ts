import type { DataType } from '../../../schema/data-types';
import type { AccessRecordInput, Consent, Controller, ControllerArrangement, Notice, Recipient } from './access-record';

/** An organisation without a registration as the communications operator reported it: the union of its reports. */
export interface DiscoveredAccess {
  organisationName: string;
  organisationReference: string;
  /** Calendar dates `YYYY-MM-DD`. */
  firstSeen: string;
  lastSeen: string | null;
  dataTypesObserved: DataType[];
}

/** A Data Controller as stored; the controller of a discovered access has no contact. */
export type StoredController = Omit<Controller, 'contactUrl'> & { contactUrl: string | null };

/** An arrangement as it is stored. */
export type StoredControllerArrangement = Omit<ControllerArrangement, 'controllers'> & {
  controllers: StoredController[];
};

/** The part of a record that is stored as one JSON document, because no statement selects by it. */
export interface AccessRecordDocument {
  schemaVersion: string;
  controllerArrangement: StoredControllerArrangement;
  notice: Notice | null;
  /** Null for a discovered access. */
  purpose: string | null;
  dataTypes: DataType[];
  dataSource: string | null;
  recipients: Recipient[] | null;
  /** Set only in rows of the previous release until they are reencrypted; references are now encrypted outside the document. */
  controllerReference?: string | null;
  consent: Consent | null;
  /** Set only for a discovered access. */
  discoveredAccess?: DiscoveredAccess;
}

/** Returns the document of an input. Inputs are class instances; absent optional members become null. */
export function documentOf({
  recordMetadata,
  notice,
  processing,
  accessEvent,
}: AccessRecordInput): AccessRecordDocument {
  return {
    schemaVersion: recordMetadata.schemaVersion,
    controllerArrangement: recordMetadata.controllerArrangement,
    notice: notice ?? null,
    purpose: processing.purpose,
    dataTypes: processing.dataTypes,
    dataSource: processing.dataSource ?? null,
    recipients: processing.recipients ?? null,
    consent: accessEvent.consent ?? null,
  };
}
