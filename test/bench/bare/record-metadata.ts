import type { AccessRecordDocument } from '../../../subgraphs/access/records/record-document';

/** Columns of `access_record` from which the responses are built. */
export interface RecordRow {
  readonly duid: string;
  readonly identity_record_ref: string | null;
  readonly created_at: Date;
  readonly document: AccessRecordDocument;
}

/** Builds `record-metadata` of an access record from a row. */
export function recordMetadata(key: string, { duid, identity_record_ref, created_at, document }: RecordRow) {
  return {
    'schema-version': document.schemaVersion,
    'record-identifier': key,
    'created-at': created_at.toISOString(),
    'controller-arrangement': arrangementOf(document),
    'identity-record-ref': identity_record_ref,
    duid,
  };
}

function arrangementOf({ controllerArrangement }: AccessRecordDocument) {
  const { arrangementType, art26Reference, controllers } = controllerArrangement;
  return {
    'arrangement-type': arrangementType,
    'art26-reference': art26Reference ?? null,
    controllers: controllers.map(controller),
  };
}

function controller(each: AccessRecordDocument['controllerArrangement']['controllers'][number]) {
  const { name, role, contactUrl, address, privacyRightsUrl, liaReference, statutoryReference, storageConditions } =
    each;
  return {
    name,
    role,
    'contact-url': contactUrl,
    ...(address
      ? {
          address: {
            'address-line-1': address.addressLine1,
            'town-city': address.townCity,
            postcode: address.postcode,
            ...(address.addressLine2 == null ? {} : { 'address-line-2': address.addressLine2 }),
            ...(address.county == null ? {} : { county: address.county }),
          },
        }
      : {}),
    ...(privacyRightsUrl == null ? {} : { 'privacy-rights-url': privacyRightsUrl }),
    'lia-reference': liaReference ?? null,
    'statutory-reference': statutoryReference ?? null,
    ...(storageConditions
      ? {
          'storage-conditions': {
            location: storageConditions.location,
            'retention-period': storageConditions.retentionPeriod,
          },
        }
      : {}),
  };
}
