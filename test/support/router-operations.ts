import type { DemoData } from '../../sandbox/sandbox-file';

/** Operations for the comparison of two routers: of one subgraph, across subgraphs, of lists, and rejected ones. */
export function routerOperations({ samples, accounts, grid, tariff }: DemoData): Readonly<Record<string, string>> {
  const { active, revoked, expired, discovered } = samples.access_keys;
  const duid = accounts.find(({ role }) => role === 'data_user')?.duid;
  const mpid = accounts.find(({ role }) => role === 'supplier')?.mpid;
  const project = `area: "${grid.area}", publicationYear: ${grid.year}, period: "${grid.period}", projectId: "${grid.project}"`;
  const record = (key: string, fields: string) => `{ accessRecord(key: "${key}") { ${fields} } }`;
  const parties = `state dataUser { displayName status contactUrl } identityRecord { ir createdAt piiPrincipal { mpxn } }`;
  return {
    'an active record': record(active, 'version state legalBasis purpose dataTypes registeredAt expiry'),
    'a revoked record': record(revoked, 'state accessEvent { state revokedAt } dataUser { displayName }'),
    'an expired record': record(expired, 'state recordMetadata { createdAt recordIdentifier } notice { __typename }'),
    'a discovered record': record(discovered, 'state discoveredAccess { __typename } dataTypes'),
    'an absent record': record(`ak_${'0'.repeat(24)}`, 'state'),
    'a record with its parties': record(active, parties),
    'a record with its history': record(
      active,
      'transitions(first: 3) { nodes { from to cause } } versions(first: 3) { nodes { version } }',
    ),
    'a malformed key': record('ak_1', 'state'),
    viewer: '{ viewer { accountId role dataUser { displayName status } } }',
    'own records': '{ accessRecords(first: 3) { nodes { state identityRecord { ir } dataUser { duid } } } }',
    'own active records': '{ accessRecords(first: 3, state: ACTIVE) { nodes { ak state } totalCount } }',
    'all records': '{ allAccessRecords(first: 2) { nodes { state dataUser { displayName } } } }',
    accounts: '{ accounts(first: 4) { nodes { accountId role displayName status } } }',
    audit: '{ auditEntries(first: 2) { nodes { __typename } } }',
    'a Data User': `{ dataUser(duid: "${duid}") { displayName status dataTypesSupported } }`,
    webhooks: '{ webhooks { wid } }',
    'event counts': '{ registerEventCounts(minutes: 1440) { __typename } }',
    events: '{ registerEvents(first: 2) { nodes { type accessRecord { state dataUser { displayName } } } } }',
    'delivery health': '{ deliveryHealth { __typename } }',
    'an identity record': `{ identityRecord(ref: "${samples.identity_record}") { ir hasEmail piiPrincipal { mpxn } } }`,
    'identity records of a home': `{ identityRecords(mpxn: "${samples.mpxn}") { ir createdAt } }`,
    existence: `{ identityRecordExistence(mpxn: "${samples.mpxn}") { exists } }`,
    'records of a meter point': `{ meterPoint(mpxn: "${samples.mpxn}") { accessRecords(first: 3) { nodes { state dataUser { duid } identityRecord { ir } } } } }`,
    'records of a session': '{ customerAccessRecords(part: CURRENT, first: 2) { nodes { state } } }',
    'contact counts': '{ contactCounts(days: 3) { __typename } }',
    'contact rejections': '{ assertedContactRejections { dataUser { displayName } } }',
    areas: '{ licenceAreas { code name distributorId } }',
    'a project': `{ developmentProject(${project}) { projectId licenceArea { code } latestVersion { version } } }`,
    suppliers: '{ suppliers(first: 3) { nodes { mpid name status tariffs(first: 1) { nodes { tariffId } } } } }',
    'a tariff': `{ tariff(tariffId: "${tariff.tariff_id}") { name supplier { mpid displayName } validFrom rates { __typename } } }`,
    'consents of a supplier': `{ tariffConsents(first: 2, filter: { mpid: "${mpid}" }) { nodes { __typename } } }`,
    'all subgraphs at once': `{ viewer { role } licenceAreas { code } suppliers(first: 1) { nodes { mpid } } identityRecords(mpxn: "${samples.mpxn}") { ir } }`,
    'a service field': '{ admission(accountId: "acc_1") { status } }',
  };
}
