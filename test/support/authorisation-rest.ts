/*
 * Expected response of every route to every caller (specification, Authentication and Endpoints; decisions A/B, 1 to 8;
 * decisions C.1 and D.1). Written from the documents; the tests compare the register with it, never the other way round.
 *
 * A cell is the status, with a letter where a status has several reasons: `u` no valid credential, `x` an expired one,
 * `r` the role or the scope, `o` another owner's object, `p` no proof of re-identification; `e` an empty list.
 */

//                      none  exp   forg  susp  owner other prov  oper  port  supp  rival admin anal  cust  cons  key

/** Interface A: accounts, access records, identity records and re-identification. */
const RECORDS = `
GET /v1/auth/token
  own secret            401u  401u  401u  401u  200   200   200   200   200   200   200   200   200   401u  401u  401u
  another's secret      401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u
  absent account        401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u
POST /v1/access-records
  the owner's           401u  401x  401u  401u  201   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  201   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  403o  403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
GET /v1/access-records/{ak}
  the owner's           200   200   200   200   200   200   200   200   200   200   200   200   200   200   200   200
  the other's           200   200   200   200   200   200   200   200   200   200   200   200   200   200   200   200
  the portal's alias    404   404   404   404   404   404   404   404   404   404   404   404   404   404   404   404
  absent                404   404   404   404   404   404   404   404   404   404   404   404   404   404   404   404
PUT /v1/access-records/{ak}
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the portal's alias    401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
DELETE /v1/access-records/{ak}
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  404   403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  404   403r  403r  403r  403r  403r  403r  401u
  the portal's alias    401u  401x  401u  401u  404   404   403r  403r  200   403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  404   403r  403r  403r  403r  403r  403r  401u
GET /v1/records
  any                   401u  401x  401u  401u  200   200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
GET /v1/meter-points/{mpxn}/access-records
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403p  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403p  403r  403r  403r  403r  403r  403r  401u
  the portal's proof    401u  401x  401u  401u  200   403o  403r  403r  200   403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  403o  403o  403r  403r  403p  403r  403r  403r  403r  403r  403r  401u
GET /v1/data-users/{duid}
  the owner's           401u  401x  401u  401u  200   200   200   200   200   200   200   200   200   200   403r  401u
  the other's           401u  401x  401u  401u  200   200   200   200   200   200   200   200   200   200   403r  401u
  absent                401u  401x  401u  401u  404   404   404   404   404   404   404   404   404   404   403r  401u
POST /v1/identity-records
  any                   401u  401x  401u  401u  201   201   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
GET /v1/identity-records
  the owner's           401u  401x  401u  401u  200   200e  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  200e  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  200e  200e  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
GET /v1/identity-records/exists
  the owner's           401u  401x  401u  401u  200   200   403r  403r  200   403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  200   200   403r  403r  200   403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  200e  200e  403r  403r  200e  403r  403r  403r  403r  403r  403r  401u
POST /v1/identity-records/reidentify
  the owner's           401u  401x  401u  401u  200   200   403r  403r  200   403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  200   200   403r  403r  200   403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  404   403r  403r  403r  403r  403r  403r  401u
GET /v1/identity-records/reidentify/{token-ref}
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403o  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403o  403r  403r  403r  403r  403r  403r  401u
  the portal's          401u  401x  401u  401u  403o  403o  403r  403r  200   403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  404   403r  403r  403r  403r  403r  403r  401u
GET /v1/identity-records/{ir}
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
DELETE /v1/identity-records/{ir}
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
POST /v1/identity-records/{ir}/re-identify
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
GET /v1/identity-records/{ir}/re-identify/{token-ref}
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the portal's token    401u  401x  401u  401u  404   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
DELETE /v1/identity-records/{ir}/credentials/{credentialId}
  the owner's           401u  401x  401u  401u  204   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  204   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent credential     401u  401x  401u  401u  404   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
`;

/** Interface A: webhooks, and reports of the communications operator. */
const NOTICES = `
GET /v1/webhooks
  any                   401u  401x  401u  401u  200   200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
POST /v1/webhooks
  any                   401u  401x  401u  401u  201   201   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
GET /v1/webhooks/{wid}
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
PATCH /v1/webhooks/{wid}
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
DELETE /v1/webhooks/{wid}
  the owner's           401u  401x  401u  401u  204   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  204   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
GET /v1/webhooks/{wid}/deliveries
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
POST /v1/webhooks/{wid}/deliveries/{event-id}/redeliver
  the owner's           401u  401x  401u  401u  202   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  202   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent event          401u  401x  401u  401u  404   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
POST /v1/webhooks/{wid}/test
  the owner's           401u  401x  401u  401u  202   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  202   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
POST /v1/discovered-access
  any                   401u  401x  401u  401u  403r  403r  403r  201   403r  403r  403r  403r  403r  403r  403r  401u
POST /v1/cot-events
  any                   401u  401x  401u  401u  403r  403r  403r  201   403r  403r  403r  403r  403r  403r  403r  401u
`;

/** Interface B. */
const LEGACY = `
GET /login
  own secret            401u  401u  401u  401u  200   200   200   200   200   200   200   200   200   401u  401u  401u
  another's secret      401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u
  absent account        401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u
POST /login
  own secret            401u  401u  401u  401u  200   200   200   200   200   200   200   200   200   401u  401u  401u
  another's secret      401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u
  absent account        401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u  401u
POST /register-consent
  own duid              401u  401x  401u  401u  201   201   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the owner's duid      401u  401x  401u  401u  201   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the owner's           401u  401x  401u  401u  200   403o  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  403o  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  one of Interface A    401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  404   404   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
GET /show-consents/{mpxn}
  the owner's           401u  401x  401u  401u  200   200e  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  the other's           401u  401x  401u  401u  200e  200   403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
  absent                401u  401x  401u  401u  200e  200e  403r  403r  403r  403r  403r  403r  403r  403r  403r  401u
`;

/** Interface C: no authentication. The address of an upload is a secret for one use. */
const GRID_MODELS = `
GET /grid-modelling/stage3/development-projects
  any                   200   200   200   200   200   200   200   200   200   200   200   200   200   200   200   200
GET /grid-modelling/stage3/development-projects/{projectId}
  any                   200   200   200   200   200   200   200   200   200   200   200   200   200   200   200   200
  absent                404   404   404   404   404   404   404   404   404   404   404   404   404   404   404   404
GET /grid-modelling/stage3/development-projects/{projectId}/{cimFile}
  any                   200   200   200   200   200   200   200   200   200   200   200   200   200   200   200   200
  absent                404   404   404   404   404   404   404   404   404   404   404   404   404   404   404   404
PUT /grid-modelling/uploads/{token}
  the admin's           422   422   422   422   422   422   422   422   422   422   422   422   422   422   422   422
  absent                410   410   410   410   410   410   410   410   410   410   410   410   410   410   410   410
POST /grid-modelling/uploads/{token}/check
  the admin's           422   422   422   422   422   422   422   422   422   422   422   422   422   422   422   422
  absent                410   410   410   410   410   410   410   410   410   410   410   410   410   410   410   410
`;

/** Interface D. */
const TARIFFS = `
GET /v1/suppliers
  any                   200   401x  401u  401u  200   200   200   200   200   200   200   200   200   200   200   200
GET /v1/users
  any                   200   401x  401u  401u  200   200   200   200   200   200   200   200   200   200   200   200
GET /v1/users/{user_id}
  the consumer's        200   401x  401u  401u  200   200   200   200   200   200   200   200   200   200   200   200
  another's             200   401x  401u  401u  200   200   200   200   200   200   200   200   200   200   200   200
  absent                404   401x  401u  401u  404   404   404   404   404   404   404   404   404   404   404   404
GET /v1/tariff/customer
  any                   401u  401x  401u  401u  403r  403r  403r  403r  403r  403r  403r  403r  403r  403r  200   403r
GET /v1/tariff/{mpid}
  the supplier's        200   401x  401u  401u  200   200   200   200   200   200   200   200   200   200   200   200
  the rival's           200e  401x  401u  401u  200e  200e  200e  200e  200e  200e  200e  200e  200e  200e  200e  200e
  absent                404   401x  401u  401u  404   404   404   404   404   404   404   404   404   404   404   404
GET /v1/tariff/{mpid}/{tariff_id}
  the supplier's        200   401x  401u  401u  200   200   200   200   200   200   200   200   200   200   200   200
  under the rival       404   401x  401u  401u  404   404   404   404   404   404   404   404   404   404   404   404
  absent                404   401x  401u  401u  404   404   404   404   404   404   404   404   404   404   404   404
POST /v1/consent
  any                   401u  401x  401u  401u  403r  403r  403r  403r  403r  403r  403r  403r  403r  403r  201   403r
DELETE /v1/consent/{registration_id}
  the consumer's        401u  401x  401u  401u  403r  403r  403r  403r  403r  403r  403r  204   403r  403r  204   403r
  another consumer's    401u  401x  401u  401u  403r  403r  403r  403r  403r  403r  403r  204   403r  403r  404   403r
  absent                401u  401x  401u  401u  403r  403r  403r  403r  403r  403r  403r  404   403r  403r  404   403r
POST /v1/webhook
  any                   401u  401x  401u  401u  403r  403r  403r  403r  403r  403r  403r  403r  403r  403r  201   403r
DELETE /v1/webhook/{webhook_id}
  the consumer's        401u  401x  401u  401u  403r  403r  403r  403r  403r  204   404   204   403r  403r  204   204
  at the rival          401u  401x  401u  401u  403r  403r  403r  403r  403r  404   204   204   403r  403r  404   404
  absent                401u  401x  401u  401u  403r  403r  403r  403r  403r  404   404   404   403r  403r  404   404
POST /v1/report
  any                   401u  401x  401u  401u  403r  403r  403r  403r  403r  202   202   403r  403r  403r  403r  202
`;

/** Routes by interface; the columns are those of `CALLERS`. */
export const REST_TABLES = { A: [RECORDS, NOTICES], B: [LEGACY], C: [GRID_MODELS], D: [TARIFFS] } as const;
