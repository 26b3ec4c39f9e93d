import type { ErrorCode } from '../schema/error-catalogue';

/**
 * Properties of a route that neither the contract nor the GraphQL operation can express. Paths are paths of the
 * operation's data.
 */
export interface RouteRow {
  /** Null at this path has the status 404. Of several paths the first null determines the code. */
  readonly nullIs404?: string | Readonly<Record<string, ErrorCode>>;
  /** Message of that 404, if it says more than the catalogue. */
  readonly missing?: string;
  /** A single object in GraphQL that the contract wraps in a list. */
  readonly listOfOne?: string;
  /** Paths that are nullable in GraphQL but never null for the roles that may call this operation. */
  readonly always?: readonly string[];
  /** The response body has the properties of the object at this path instead of those of the data. */
  readonly spread?: string;
  /** Path parameters for which a malformed value has the status of an unknown one (404). */
  readonly malformed?: readonly string[];
  /**
   * Parameter of the licence area. The host overrides the query; with `hasDefault`, the setting applies if both are
   * absent.
   */
  readonly licenceArea?: { readonly parameter: string; readonly hasDefault: boolean };
  /** Path of a published file: the response is its bytes. */
  readonly file?: string;
  /**
   * The GET has an effect, such as an entry in the access log: HEAD is not allowed (405), because it must have none.
   */
  readonly hasEffect?: true;
  /** Response properties that repeat the parameter of the same name. */
  readonly echo?: readonly string[];
  /** `Location` of a new object: its collection, and the path of its key. */
  readonly location?: { readonly collection: string; readonly key: string };
  /** Path of the version number for `ETag`. */
  readonly etag?: string;
  /** Variable for the versions of `If-Match`. */
  readonly ifMatch?: string;
  /** Path that is true if the request created something (201); otherwise it was known, updated or replaced (200). */
  readonly isNew?: string;
  /**
   * A second document, which runs if a query parameter has this value. The contract documents two variants of the
   * response (`anyOf`): that of the first document, then that of the second.
   */
  readonly alternative?: { readonly parameter: string; readonly value: string; readonly document: string };
  /** Path that is true if the response repeats that of an earlier request with the same `Idempotency-Key`. */
  readonly replayed?: string;
}

const NOT_PUBLISHED =
  'Nothing is published for this licence area, publication year, period, development project and version.';

/** Rows by document: an `operationId`, or the `alternative` of one. Most documents need none. */
export const routeTable: Readonly<Record<string, RouteRow>> = {
  obtainBearerToken: { spread: 'token' },

  registerAccessRecord: {
    spread: 'registration',
    location: { collection: '/access-records', key: 'registration.accessToken.key' },
    replayed: 'registration.replayed',
  },
  verifyAccessRecord: { nullIs404: 'accessRecord', malformed: ['ak'], etag: 'accessRecord.version', hasEffect: true },
  replaceAccessRecord: {
    spread: 'replacement',
    malformed: ['ak'],
    etag: 'replacement.version',
    ifMatch: 'ifVersions',
  },
  revokeAccessRecord: { spread: 'revocation', malformed: ['ak'], ifMatch: 'ifVersions' },
  listAccessRecords: { spread: 'page', always: ['page.records.ak'], hasEffect: true },
  listMeterPointAccessRecords: {
    spread: 'meterPoint.page',
    echo: ['mpxn'],
    always: ['meterPoint.page.accessRecords.ak'],
    hasEffect: true,
  },

  lookUpDataUser: { nullIs404: 'dataUser' },

  registerIdentityRecord: {
    spread: 'registration',
    location: { collection: '/identity-records', key: 'registration.ir' },
    replayed: 'registration.replayed',
  },
  readIdentityRecord: { nullIs404: 'identityRecord', hasEffect: true },
  checkIdentityRecordExistence: { spread: 'existence', hasEffect: true },
  anonymiseIdentityRecord: { spread: 'anonymisation' },

  reidentify: { spread: 'reidentification', replayed: 'reidentification.replayed' },
  confirmReidentification: { spread: 'reidentification', nullIs404: 'reidentification' },
  reidentifyOwn: { spread: 'reidentification', replayed: 'reidentification.replayed' },
  confirmOwnReidentification: { spread: 'reidentification', nullIs404: 'reidentification' },

  registerWebhook: {
    spread: 'registration',
    location: { collection: '/webhooks', key: 'registration.webhook.wid' },
    replayed: 'registration.replayed',
  },
  readWebhook: { nullIs404: 'webhook' },
  updateWebhook: { spread: 'update' },
  listWebhookDeliveries: { spread: 'webhook.page', nullIs404: 'webhook' },
  redeliverEvent: { spread: 'redelivery', replayed: 'redelivery.replayed' },
  testWebhook: { spread: 'test', replayed: 'test.replayed' },

  reportDiscoveredAccess: {
    spread: 'report',
    isNew: 'report.isNew',
    location: { collection: '/access-records', key: 'report.ak' },
    replayed: 'report.replayed',
  },
  recordChangeOfTenancy: { spread: 'change', isNew: 'change.isNew', replayed: 'change.replayed' },

  logIn: { spread: 'token' },
  logInByPost: { spread: 'token' },
  showConsents: { hasEffect: true },
  registerConsent: { spread: 'registration', isNew: 'registration.isNew', replayed: 'registration.replayed' },

  listDevelopmentProjects: { spread: 'page', licenceArea: { parameter: 'licenceArea', hasDefault: false } },
  retrieveArchive: {
    file: 'file',
    nullIs404: 'file',
    missing: NOT_PUBLISHED,
    licenceArea: { parameter: 'licenceArea', hasDefault: true },
  },
  retrieveDifferenceModel: {
    file: 'file',
    nullIs404: 'file',
    missing: NOT_PUBLISHED,
    malformed: ['cimFile'],
    licenceArea: { parameter: 'licenceArea', hasDefault: true },
  },

  listSuppliers: { spread: 'page' },
  listRtiUsers: { spread: 'page' },
  retrieveRtiUser: { spread: 'rtiUser', nullIs404: { rtiUser: 'NTF004' } },
  listTariffs: {
    spread: 'supplier.page',
    nullIs404: { supplier: 'NTF002' },
    alternative: { parameter: 'detail', value: 'full', document: 'listWholeTariffs' },
  },
  listWholeTariffs: { spread: 'supplier.page', nullIs404: { supplier: 'NTF002' } },
  retrieveTariff: {
    spread: 'supplier',
    nullIs404: { supplier: 'NTF002', 'supplier.data': 'NTF003' },
    listOfOne: 'supplier.data',
  },
  giveTariffConsent: { isNew: 'data.isNew' },
  registerRtiWebhook: { spread: 'registration', isNew: 'registration.isNew' },
  submitPerformanceReport: { spread: 'report' },
};
