import type { LegalBasis, Operations } from '../../../schema/generated/operations';

export type { LegalBasis };

type ResultOf<Name extends keyof Operations> = Operations[Name]['result'];

/** A customer's session. */
export type CustomerSession = ResultOf<'ReadCustomerSession'>['session'];

/** An e-mail address or a passkey that is registered for the customer's home. */
export type CustomerContact = ResultOf<'ReadCustomerContacts'>['contacts'][number];

/** An access record; its history is null for callers who may not read it. */
export type ReadRecord = ResultOf<'ReadCustomerRecords'>['page']['nodes'][number];

/** An access record with its history, as its customer may read it. */
export type CustomerRecord = ReadRecord & {
  readonly [History in 'transitions' | 'versions']: NonNullable<ReadRecord[History]>;
};

/** A Data Controller. */
export type Controller = CustomerRecord['recordMetadata']['controllerArrangement']['controllers'][number];

/** The terms that a customer agreed to. */
export type Notice = NonNullable<NonNullable<CustomerRecord['notice']>['sharedNotice']>;

/** Lookups of the access records of the meter point, counted by hour. */
export type AccessLookup = ResultOf<'ReadWhoLooked'>['accessLooks'][number];

/** Lookups of the customer's Identity Records, counted by hour. */
export type IdentityLookup = ResultOf<'ReadWhoLooked'>['identityLooks'][number];

/** A supplier that offers a sign-in. */
export type SupplierSignIn = ResultOf<'ListSupplierSignIns'>['suppliers'][number];

/** A re-identification to confirm, or a passkey to add. */
export type Ceremony = NonNullable<ResultOf<'ReadCeremony'>['ceremony']>;

/** The outcome of a ceremony. */
export type CeremonyOutcome = ResultOf<'ConfirmCeremonyLink'>['outcome'];
