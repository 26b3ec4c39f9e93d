import type { ErrorCode } from '../schema/error-catalogue';

/** What neither the contract nor the GraphQL operation can say of a route. Paths are those of the operation's data. */
export interface RouteRow {
  /** Null here is answered 404; of several places the first that is null, with its code. */
  readonly nullIs404?: string | Readonly<Record<string, ErrorCode>>;
  /** What such a 404 says, where that is more than that nothing was found. */
  readonly missing?: string;
  /** One thing in the graph, a list of one in the contract. */
  readonly listOfOne?: string;
  /** Nullable in the graph, because other roles may not see it; whom this operation serves always gets it. */
  readonly always?: readonly string[];
  /** The answer's properties are those of this object, not of the data itself. */
  readonly spread?: string;
  /** Path parameters whose malformed value is answered like an unknown one. */
  readonly malformed?: readonly string[];
  /** The parameter of the licence area: the host names it, else the query, else (where it must be known) the setting. */
  readonly licenceArea?: { readonly parameter: string; readonly presumed: boolean };
  /** A published file is here: its bytes are the answer. */
  readonly file?: string;
  /** The GET has an effect, such as an entry in who-looked: HEAD, which never has one, is not allowed (405). */
  readonly hasEffect?: true;
  /** Properties of the answer that repeat a parameter of the same name. */
  readonly echo?: readonly string[];
  /** `Location` of what was registered: the collection, and where its key is. */
  readonly location?: { readonly collection: string; readonly key: string };
  /** The version number that `ETag` carries. */
  readonly etag?: string;
  /** The variable that takes the versions of `If-Match`. */
  readonly ifMatch?: string;
  /** Whether something new came to be: 201; 200 where nothing did: known before, updated or replaced. */
  readonly isNew?: string;
  /** Whether the answer is that of an earlier request with the same `Idempotency-Key`. */
  readonly replayed?: string;
}

const NOT_PUBLISHED =
  'Nothing is published for this licence area, publication year, period, development project and version.';

/** The rows by `operationId`; an operation that needs none has none. */
export const routeTable: Readonly<Record<string, RouteRow>> = {
  obtainBearerToken: { spread: 'token' },

  registerAccessRecord: {
    spread: 'registration',
    location: { collection: '/v1/access-records', key: 'registration.accessToken.key' },
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
    location: { collection: '/v1/identity-records', key: 'registration.ir' },
    replayed: 'registration.replayed',
  },
  readIdentityRecord: { nullIs404: 'identityRecord' },
  checkIdentityRecordExistence: { spread: 'existence', hasEffect: true },
  anonymiseIdentityRecord: { spread: 'anonymisation' },

  reidentify: { spread: 'reidentification', replayed: 'reidentification.replayed' },
  confirmReidentification: { spread: 'reidentification', nullIs404: 'reidentification' },
  reidentifyOwn: { spread: 'reidentification', replayed: 'reidentification.replayed' },
  confirmOwnReidentification: { spread: 'reidentification', nullIs404: 'reidentification' },

  registerWebhook: {
    spread: 'registration',
    location: { collection: '/v1/webhooks', key: 'registration.webhook.wid' },
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
    location: { collection: '/v1/access-records', key: 'report.ak' },
    replayed: 'report.replayed',
  },
  recordChangeOfTenancy: { spread: 'change', isNew: 'change.isNew', replayed: 'change.replayed' },

  logIn: { spread: 'token' },
  logInByPost: { spread: 'token' },
  showConsents: { hasEffect: true },
  registerConsent: { spread: 'registration', isNew: 'registration.isNew', replayed: 'registration.replayed' },

  listDevelopmentProjects: { spread: 'page', licenceArea: { parameter: 'licenceArea', presumed: false } },
  retrieveArchive: {
    file: 'file',
    nullIs404: 'file',
    missing: NOT_PUBLISHED,
    licenceArea: { parameter: 'licenceArea', presumed: true },
  },
  retrieveDifferenceModel: {
    file: 'file',
    nullIs404: 'file',
    missing: NOT_PUBLISHED,
    malformed: ['cimFile'],
    licenceArea: { parameter: 'licenceArea', presumed: true },
  },

  listSuppliers: { spread: 'page' },
  listRtiUsers: { spread: 'page' },
  retrieveRtiUser: { spread: 'rtiUser', nullIs404: { rtiUser: 'NTF004' } },
  listTariffs: { spread: 'supplier.page', nullIs404: { supplier: 'NTF002' } },
  retrieveTariff: {
    spread: 'supplier',
    nullIs404: { supplier: 'NTF002', 'supplier.data': 'NTF003' },
    listOfOne: 'supplier.data',
  },
  giveTariffConsent: { isNew: 'data.isNew' },
  registerRtiWebhook: { spread: 'registration', isNew: 'registration.isNew' },
  submitPerformanceReport: { spread: 'report' },
};
