import { randomBytes } from 'node:crypto';
import type { GraphqlClient } from './graphql-client';
import type { RunningSupplier } from './supplier/supplier';
import { RTI_REDIRECT_URIS } from './supplier/supplier-clients';

/** An RTI User in `sandbox.json`, with which demo customers can share their tariffs at the demo supplier. */
export interface DemoRtiUser {
  readonly user_id: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly name: string;
  /** Redirect URIs; any port is accepted. */
  readonly redirect_uris: readonly string[];
}

/** Fictional organisations; their domains are reserved for examples. */
const RTI_USERS = [
  {
    ...{ name: 'Kestrel Compare Ltd', displayName: 'Kestrel', site: 'kestrel.example' },
    webhookUrl: 'https://kestrel.example/tariff-events',
  },
  { name: 'Lowtide Home Automation Ltd', displayName: 'Lowtide', site: 'lowtide.example', webhookUrl: null },
] as const;

const SAVE_RTI_USER = `mutation SaveRtiUser($input: RtiUserInput!) { saveRtiUser(input: $input) { rtiUser { userId } } }`;
const IS_REGISTERED = `query IsRegistered($userId: String!) { rtiUser(userId: $userId) { userId } }`;
const ENTRY = `query Entry($mpid: String!) { supplier(mpid: $mpid) { mpid name displayName support apiUrl } }`;
const ENTRIES = `query Entries { suppliers(first: 100, filter: { status: [ACTIVE, SUSPENDED, DISABLED] }) { nodes { mpid issuer audience } } }`;
const REMOVE_SUPPLIER = `mutation RemoveSupplier($mpid: String!) { setSupplierStatus(mpid: $mpid, status: REMOVED) { status } }`;
const SAVE_SUPPLIER = `mutation SaveSupplier($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }`;

/** Inputs of {@link offerTariffSharing}. */
interface TariffSharingOptions {
  readonly asAdmin: GraphqlClient;
  /** Market participant id of the demo supplier, which has an entry in the register. */
  readonly mpid: string;
  readonly supplier: Pick<RunningSupplier, 'issuer' | 'audience' | 'addRtiClients'>;
  /** RTI Users of an earlier start. */
  readonly stored: readonly DemoRtiUser[] | undefined;
}

/**
 * Registers the RTI Users in the register and as clients of the demo supplier, and makes the register accept the
 * supplier's tokens. Runs at each start, because the supplier's URL may change and the supplier stores nothing.
 */
export async function offerTariffSharing({
  asAdmin,
  mpid,
  supplier,
  stored,
}: TariffSharingOptions): Promise<DemoRtiUser[]> {
  const users: DemoRtiUser[] = [];
  for (const [index, organisation] of RTI_USERS.entries()) {
    const earlier = stored?.[index];
    const isPresent = earlier && (await isRegistered(earlier, asAdmin));
    users.push(isPresent ? earlier : await registered(organisation, asAdmin));
  }
  supplier.addRtiClients(users.map(({ client_id: id, client_secret: secret, name }) => ({ id, secret, name })));
  const { supplier: entry } = await asAdmin<{ supplier: object | null }>(ENTRY, { mpid });
  if (entry === null) throw new Error('the demo supplier has no entry');
  const { issuer, audience } = supplier;
  await removeEarlierSupplier(mpid, { issuer, audience }, asAdmin);
  await asAdmin(SAVE_SUPPLIER, { input: { ...entry, issuer, audience, oauthUrl: issuer } });
  return users;
}

/**
 * Removes the demo supplier of an earlier sandbox in the same database, whose logins are lost: it has the same issuer.
 */
async function removeEarlierSupplier(
  mpid: string,
  { issuer, audience }: Pick<RunningSupplier, 'issuer' | 'audience'>,
  asAdmin: GraphqlClient,
): Promise<void> {
  type Entries = { readonly suppliers: { readonly nodes: readonly Record<'mpid' | 'issuer' | 'audience', string>[] } };
  const { suppliers } = await asAdmin<Entries>(ENTRIES);
  const earlier = suppliers.nodes.filter((each) => each.issuer === issuer && each.audience === audience);
  for (const each of earlier) if (each.mpid !== mpid) await asAdmin(REMOVE_SUPPLIER, { mpid: each.mpid });
}

async function isRegistered({ user_id: userId }: DemoRtiUser, asAdmin: GraphqlClient): Promise<boolean> {
  return (await asAdmin<{ rtiUser: object | null }>(IS_REGISTERED, { userId })).rtiUser !== null;
}

async function registered(
  { name, displayName, site, webhookUrl }: (typeof RTI_USERS)[number],
  asAdmin: GraphqlClient,
): Promise<DemoRtiUser> {
  const contact = { name: `${displayName} partner desk`, email: `partners@${site}`, telephone: '+44 1632 960001' };
  const input = { name, displayName, support: `https://${site}/help`, webhookUrl, contact };
  type Saved = { readonly saveRtiUser: { readonly rtiUser: { readonly userId: string } } };
  const { userId } = (await asAdmin<Saved>(SAVE_RTI_USER, { input })).saveRtiUser.rtiUser;
  return {
    user_id: userId,
    client_id: userId,
    client_secret: randomBytes(32).toString('base64url'),
    name,
    redirect_uris: RTI_REDIRECT_URIS,
  };
}
