import { stringify } from 'csv-stringify/sync';
import type { Language, Wording } from '../request/languages';
import { accessOf, nameOf } from './access-list';
import { endOf, endedBy } from './history';
import type { Controller, CustomerRecord, CustomerSession, EndedRecord, Notice } from './register-answers';

/** An access that there is, or one that has ended. */
type Registered = CustomerRecord | EndedRecord;

const COLUMNS = [
  'organisation',
  'status',
  'legalBasis',
  'purpose',
  'dataTypes',
  'registered',
  'expiry',
  'ended',
  'endedBy',
  'registeredBy',
  'controllers',
  'terms',
  'recipients',
  'firstSeen',
  'lastSeen',
] as const;

/**
 * What is registered for the meter point, now and before, as a table for spreadsheet programs. A cell that such a program would take for
 * a formula is quoted as text (2-decisions-a-b.md, section 9).
 */
export function csvOf(records: readonly Registered[], language: Language, t: Wording): string {
  const header = COLUMNS.map((column) => t(`download.${column}`));
  const rows = records.map((record) => {
    const row = rowOf(record, language, t);
    return COLUMNS.map((column) => row[column]);
  });
  return stringify([header, ...rows], { bom: true, record_delimiter: 'windows', escape_formulas: true });
}

function rowOf(record: Registered, language: Language, t: Wording): Record<(typeof COLUMNS)[number], string> {
  const { legalBasis, dataTypes, controllers, terms, recipients, registeredBy } = accessOf(record, language);
  const end = endOf(record);
  const seen = record.discoveredAccess; // of what is not registered, by nobody
  return {
    organisation: nameOf(record),
    status: t(`state.${record.state}`),
    legalBasis: legalBasis === null ? '' : t(`legalBasis.${legalBasis}.name`),
    purpose: record.purpose ?? '',
    dataTypes: dataTypes.map((type) => t(`dataType.${type}`)).join('; '),
    registered: seen ? '' : (record.registeredAt ?? ''),
    expiry: record.expiry ?? '',
    ended: end ?? '',
    endedBy: end !== null && 'transitions' in record ? t(`endedBy.${endedBy(record)}`) : '',
    registeredBy: seen ? '' : (registeredBy?.name ?? nameOf(record)),
    controllers: controllers.map(({ name, contact, rights }) => joined(name, contact, rights)).join('; '),
    terms: terms.map(({ controller, link, version }) => joined(controller, link, version)).join('; '),
    recipients: recipients.map(({ name, role }) => joined(name, role)).join('; '),
    firstSeen: seen?.firstSeen ?? '',
    lastSeen: seen?.lastSeen ?? '',
  };
}

function joined(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(', ');
}

/** The same as JSON: the facts of the records, in the words in which Interface A has them (schema/openapi/a.yaml). */
export function jsonOf({ mpxn, address, moveInDate }: CustomerSession, records: readonly Registered[]): string {
  const property = { mpxn, address, 'move-in-date': moveInDate };
  return `${JSON.stringify({ property, 'access-records': records.map(factsOf) }, null, 2)}\n`;
}

function factsOf(record: Registered): object {
  const { recordMetadata, processing, dataUser, discoveredAccess: seen } = record;
  const end = endOf(record);
  return {
    state: record.state,
    'legal-basis': record.legalBasis === null ? null : wireWord(record.legalBasis),
    purpose: record.purpose,
    'data-types': record.dataTypes.map(wireCode),
    'data-source': processing.dataSource,
    'registered-at': record.registeredAt,
    expiry: record.expiry,
    'revoked-at': record.accessEvent.revokedAt,
    'ended-at': end,
    'ended-by': end !== null && 'transitions' in record ? endedBy(record) : null,
    'lead-controller-name': record.leadControllerName,
    controllers: recordMetadata.controllerArrangement.controllers.map(controllerFacts),
    notice: record.notice && noticeFacts(record.notice),
    recipients: (processing.recipients ?? []).map(({ name, role, privacyUrl }) => ({
      name,
      role,
      'privacy-url': privacyUrl,
    })),
    'data-user': dataUser && { 'display-name': dataUser.displayName, 'contact-url': dataUser.contactUrl },
    'discovered-access': seen && {
      'organisation-name': seen.organisationName,
      'first-seen': seen.firstSeen,
      'last-seen': seen.lastSeen,
      'data-types-observed': seen.dataTypesObserved.map(wireCode),
    },
  };
}

function controllerFacts({ name, role, contactUrl, privacyRightsUrl }: Controller): object {
  return { name, role: wireWord(role), 'contact-url': contactUrl, 'privacy-rights-url': privacyRightsUrl };
}

function noticeFacts({ sharedNotice, notices }: NonNullable<CustomerRecord['notice']>): object {
  const facts = ({ termsUrl, noticeVersion }: Notice) => ({ 'terms-url': termsUrl, 'notice-version': noticeVersion });
  return {
    'shared-notice': sharedNotice && facts(sharedNotice),
    notices: notices?.map((notice) => ({ 'controller-name': notice.controllerName, ...facts(notice) })) ?? null,
  };
}

/** A code of Interface A as the graph spells it, back to its own spelling: `HH-CONSUMPTION`. */
function wireCode(name: string): string {
  return name.replaceAll('_', '-');
}

/** The same for a word: `uk-contract`, `sole`. */
function wireWord(name: string): string {
  return wireCode(name).toLowerCase();
}
