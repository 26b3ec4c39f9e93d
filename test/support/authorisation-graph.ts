/*
 * Expected result of the graph for every caller: by root field and owner of the named object, and by fields of objects
 * that only some of the callers that reach the object may read (decisions A/B, 1 to 9; decisions D). Written from the
 * documents; the tests compare the register with it.
 *
 * `ok` data, `null` null, `e` an empty list; `u` no valid credential, `x` an expired one, `r` the role or the scope, `o`
 * another owner's object, `p` no proof of re-identification, `n` not found, `c` conflict with its state; `-` the caller
 * does not reach the object.
 */

//                          none  exp   forg  susp  owner other prov  oper  port  supp  rival admin anal  cust  cons  key

/** Records: reads by Data Users, the portal, the back office and customers. */
const RECORDS = `
Query.accessRecord
  the owner's               ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok
  the portal's alias        null  null  null  null  null  null  null  null  null  null  null  null  null  null  null  null
  absent                    null  null  null  null  null  null  null  null  null  null  null  null  null  null  null  null
Query.dataUser
  the owner's               u     x     u     u     ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    r     ok
  absent                    u     x     u     u     null  null  null  null  null  null  null  null  null  null  r     null
Query.identityRecord
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     null  null  r     r     r     r     r     r     r     r     r     r
Query.identityRecords
  the owner's               u     x     u     u     ok    e     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     e     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     e     e     r     r     r     r     r     r     r     r     r     r
Query.identityRecordExistence
  the owner's               u     x     u     u     ok    ok    r     r     ok    r     r     r     r     r     r     r
  absent                    u     x     u     u     ok    ok    r     r     ok    r     r     r     r     r     r     r
Query.meterPoint
  the owner's               u     x     u     u     ok    o     r     r     p     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     p     r     r     r     r     r     r     r
  absent                    u     x     u     u     o     o     r     r     p     r     r     r     r     r     r     r
Query.consents
  the owner's               u     x     u     u     ok    e     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     e     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     e     e     r     r     r     r     r     r     r     r     r     r
Query.reidentification
  the owner's               u     x     u     u     ok    o     r     r     o     r     r     r     r     r     r     r
  the portal's              u     x     u     u     o     o     r     r     ok    r     r     r     r     r     r     r
  absent                    u     x     u     u     null  null  r     r     null  r     r     r     r     r     r     r
Query.ownReidentification
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     null  null  r     r     r     r     r     r     r     r     r     r
Query.customerAccessRecord
  the customer's            u     x     u     u     r     r     r     r     r     r     r     r     r     ok    r     r
  another's                 u     x     u     u     r     r     r     r     r     r     r     r     r     null  r     r
  absent                    u     x     u     u     r     r     r     r     r     r     r     r     r     null  r     r
Query.webhook
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Query.registerEvent
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     ok    ok    r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     ok    ok    r     r     r
  absent                    u     x     u     u     null  null  r     r     r     r     r     null  null  r     r     r
Query.registerEvents
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     ok    ok    r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     ok    ok    r     r     r
  absent                    u     x     u     u     o     o     r     r     r     r     r     e     e     r     r     r
Query.latestRegisterEvents
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     ok    ok    r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     ok    ok    r     r     r
  absent                    u     x     u     u     o     o     r     r     r     r     r     e     e     r     r     r
Subscription.registerEvents
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     ok    ok    r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     ok    ok    r     r     r
`;

/** Records: changes. */
const CHANGES = `
Mutation.registerAccessRecord
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     o     o     r     r     r     r     r     r     r     r     r     r
Mutation.replaceAccessRecord
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  the portal's alias        u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Mutation.revokeAccessRecord
  the owner's               u     x     u     u     ok    o     r     r     n     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     n     r     r     r     r     r     r     r
  the portal's alias        u     x     u     u     n     n     r     r     ok    r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     n     r     r     r     r     r     r     r
Mutation.anonymiseIdentityRecord
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Mutation.removeCredential
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Mutation.reidentify
  the owner's               u     x     u     u     ok    ok    r     r     ok    r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     n     r     r     r     r     r     r     r
Mutation.reidentifyOwn
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Mutation.registerConsent
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Mutation.withdrawConsent
  the customer's            u     x     u     u     r     r     r     r     r     r     r     r     r     ok    r     r
  another's                 u     x     u     u     r     r     r     r     r     r     r     r     r     n     r     r
  absent                    u     x     u     u     r     r     r     r     r     r     r     r     r     n     r     r
Mutation.mailContactLink
  absent                    u     x     u     u     r     r     r     r     r     r     r     r     r     n     r     r
Mutation.proveContactByPasskey
  absent                    u     x     u     u     r     r     r     r     r     r     r     r     r     p     r     r
Mutation.judgeContact
  absent                    u     x     u     u     r     r     r     r     r     r     r     r     r     p     r     r
Mutation.updateWebhook
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Mutation.deleteWebhook
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Mutation.redeliverEvent
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
Mutation.testWebhook
  the owner's               u     x     u     u     ok    o     r     r     r     r     r     r     r     r     r     r
  the other's               u     x     u     u     o     ok    r     r     r     r     r     r     r     r     r     r
  absent                    u     x     u     u     n     n     r     r     r     r     r     r     r     r     r     r
`;

/** Tariffs. */
const TARIFFS = `
Query.supplier
  the supplier's            ok    x     u     u     ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok
  absent                    null  x     u     u     null  null  null  null  null  null  null  null  null  null  null  null
Query.rtiUser
  the consumer's            ok    x     u     u     ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok
  absent                    null  x     u     u     null  null  null  null  null  null  null  null  null  null  null  null
Query.tariff
  the supplier's            ok    x     u     u     ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok
  absent                    null  x     u     u     null  null  null  null  null  null  null  null  null  null  null  null
Query.tariffAssignments
  the supplier's            u     x     u     u     r     r     r     r     r     ok    e     ok    r     r     r     ok
  absent                    u     x     u     u     r     r     r     r     r     e     e     e     r     r     r     e
Query.appliedTariff
  the supplier's            u     x     u     u     r     r     r     r     r     ok    null  ok    r     r     r     ok
  absent                    u     x     u     u     r     r     r     r     r     null  null  null  r     r     r     null
Query.performanceReports
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    ok    r     r     ok
  the rival's               u     x     u     u     r     r     r     r     r     o     ok    ok    ok    r     r     o
  absent                    u     x     u     u     r     r     r     r     r     o     o     e     e     r     r     o
Query.rtiWebhooks
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    ok    r     r     ok
  the rival's               u     x     u     u     r     r     r     r     r     o     ok    ok    ok    r     r     o
  absent                    u     x     u     u     r     r     r     r     r     o     o     e     e     r     r     o
Query.tariffConsents
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    ok    r     r     ok
  the rival's               u     x     u     u     r     r     r     r     r     o     ok    ok    ok    r     r     o
  absent                    u     x     u     u     r     r     r     r     r     o     o     e     e     r     r     o
Query.tariffEvents
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    ok    r     r     ok
  the rival's               u     x     u     u     r     r     r     r     r     o     ok    ok    ok    r     r     o
  absent                    u     x     u     u     r     r     r     r     r     o     o     e     e     r     r     o
Query.tariffEvent
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    ok    r     r     ok
  absent                    u     x     u     u     r     r     r     r     r     null  null  null  null  r     r     null
Subscription.tariffEvents
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    ok    r     r     ok
  the rival's               u     x     u     u     r     r     r     r     r     o     ok    ok    ok    r     r     o
Mutation.publishTariff
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    r     r     r     ok
  absent                    u     x     u     u     r     r     r     r     r     o     o     n     r     r     r     o
Mutation.appendTariffPrices
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    r     r     r     ok
  absent                    u     x     u     u     r     r     r     r     r     o     o     n     r     r     r     o
Mutation.assignTariff
  the supplier's            u     x     u     u     r     r     r     r     r     ok    o     ok    r     r     r     ok
  absent                    u     x     u     u     r     r     r     r     r     n     n     n     r     r     r     n
Mutation.endTariffAssignment
  the supplier's            u     x     u     u     r     r     r     r     r     ok    c     ok    r     r     r     ok
  absent                    u     x     u     u     r     r     r     r     r     c     c     c     r     r     r     c
Mutation.revokeTariffConsent
  the consumer's            u     x     u     u     r     r     r     r     r     r     r     ok    r     r     ok    r
  another consumer's        u     x     u     u     r     r     r     r     r     r     r     ok    r     r     n     r
  absent                    u     x     u     u     r     r     r     r     r     r     r     n     r     r     n     r
Mutation.removeRtiWebhook
  the consumer's            u     x     u     u     r     r     r     r     r     ok    n     ok    r     r     ok    ok
  at the rival              u     x     u     u     r     r     r     r     r     n     ok    ok    r     r     n     n
  absent                    u     x     u     u     r     r     r     r     r     n     n     n     r     r     n     n
`;

/** Fields that only some of the callers may read that reach their object. */
const RESTRICTED_FIELDS = `
AccessRecord.ak
  the owner's by its key    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok
  the owner's in a list     -     -     -     -     ok    -     -     -     -     -     -     o     o     -     -     -
RecordMetadata.recordIdentifier
  the owner's by its key    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    ok
  the owner's in a list     -     -     -     -     ok    -     -     -     -     -     -     o     o     -     -     -
AccessRecord.dataUser
  the owner's by its key    u     u     u     u     ok    ok    ok    ok    ok    ok    ok    ok    ok    ok    r     ok
  the owner's in a list     -     -     -     -     ok    -     -     -     -     -     -     ok    ok    -     -     -
AccessRecord.identityRecord
  the owner's by its key    u     u     u     u     ok    o     o     o     o     o     o     o     o     o     o     o
  the owner's in a list     -     -     -     -     ok    -     -     -     -     -     -     o     o     -     -     -
AccessRecord.transitions
  the owner's by its key    u     u     u     u     ok    o     o     o     o     o     o     ok    ok    o     o     o
  the owner's in a list     -     -     -     -     ok    -     -     -     -     -     -     ok    ok    -     -     -
AccessRecord.versions
  the owner's by its key    u     u     u     u     ok    o     o     o     o     o     o     ok    ok    o     o     o
  the owner's in a list     -     -     -     -     ok    -     -     -     -     -     -     ok    ok    -     -     -
RegisterEvent.webhook
  the owner's               -     -     -     -     ok    -     -     -     -     -     -     null  null  -     -     -
RtiUser.webhookUrl
  the consumer's            null  x     u     u     null  null  null  null  null  ok    ok    ok    null  null  ok    ok
  another's                 null  x     u     u     null  null  null  null  null  ok    ok    ok    null  null  null  ok
RtiUser.contact
  the consumer's            null  x     u     u     null  null  null  null  null  ok    ok    ok    null  null  ok    ok
  another's                 null  x     u     u     null  null  null  null  null  ok    ok    ok    null  null  null  ok
Supplier.issuer
  the supplier's            null  x     u     u     null  null  null  null  null  ok    null  ok    null  null  null  ok
Supplier.audience
  the supplier's            null  x     u     u     null  null  null  null  null  ok    null  ok    null  null  null  ok
RtiWebhook.webhookUrl
  the supplier's            -     -     -     -     -     -     -     -     -     ok    -     ok    null  -     -     ok
TariffConsent.mpxns
  the supplier's            -     -     -     -     -     -     -     -     -     ok    -     null  null  -     -     ok
TariffEvent.mpxn
  the supplier's            -     -     -     -     -     -     -     -     -     ok    -     null  null  -     -     ok
`;

/** Root fields at objects. */
export const GRAPH_TABLES: readonly string[] = [RECORDS, CHANGES, TARIFFS];

/** Fields of objects. Every other field is readable by each caller that reaches its object. */
export const FIELD_TABLES: readonly string[] = [RESTRICTED_FIELDS];
