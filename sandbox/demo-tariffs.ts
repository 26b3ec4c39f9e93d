import { createHash } from 'node:crypto';
import { CUSTOMERS_TARIFFS, type DemoTariffPlan, OTHER_TARIFFS } from './demo-tariff-plans';
import { type GraphqlClient, GraphqlFailure } from './graphql-client';

/** Who publishes, and for whom. */
export interface DemoTariffParts {
  readonly asAdmin: GraphqlClient;
  /** The demo supplier: it publishes its tariffs itself, and says which of them its customers have. */
  readonly asSupplier: GraphqlClient;
  readonly supplier: { readonly mpid: string; readonly name: string };
  /** The meter points of the demo customers. */
  readonly mpxns: readonly string[];
  /** Address of the REST interfaces: the suppliers' endpoints are there, too. */
  readonly restUrl: string;
}

/** A sample of what is published, as `sandbox.json` lists it. */
export interface DemoTariffs {
  readonly mpid: string;
  readonly tariff_id: string;
}

/** A supplier that nobody signs in for: an admin publishes its tariffs. */
const OTHER_SUPPLIER = { mpid: 'FNLD', name: 'Fenland Energy Ltd' };

const ENTRY = `query Entry($mpid: String!) { supplier(mpid: $mpid) { status } }`;
const SAVE = `mutation Save($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }`;
const PRESENT = `query Present($tariffId: String!) { tariff(tariffId: $tariffId) { version } }`;
const PUBLISH = `mutation Publish($input: TariffInput!) { publishTariff(input: $input) { isNew } }`;
const STEPS = `query Steps($mpxn: String!) {
  registerTime
  tariffAssignments(mpxn: $mpxn, first: 50) { nodes { supplier { mpid } } }
}`;
const ASSIGN = `mutation Assign($mpxn: String!, $tariffId: String!, $from: DateTime!) {
  assignTariff(mpxn: $mpxn, tariffId: $tariffId, from: $from) { from }
}`;

/**
 * Publishes the fictional tariffs as a supplier and an admin do, and says which the demo customers have. Suppliers, tariffs and meter
 * points that are there already are left alone, so it may run at each start, and an earlier sandbox gets them, too.
 */
export async function publishDemoTariffs(parts: DemoTariffParts): Promise<DemoTariffs> {
  const { asAdmin, asSupplier, supplier, mpxns } = parts;
  if (await isActive(supplier, parts)) {
    for (const plan of CUSTOMERS_TARIFFS) await publish(plan, supplier.mpid, asSupplier);
    for (const mpxn of mpxns) await assign(mpxn, supplier.mpid, parts);
  }
  if (await isActive(OTHER_SUPPLIER, parts)) {
    for (const plan of OTHER_TARIFFS) await publish(plan, OTHER_SUPPLIER.mpid, asAdmin);
  }
  return { mpid: supplier.mpid, tariff_id: tariffId(supplier.mpid, CUSTOMERS_TARIFFS[0].key) };
}

/** Whether a supplier may publish; one that has no entry yet gets one. */
async function isActive(
  { mpid, name }: DemoTariffParts['supplier'],
  { asAdmin, restUrl }: DemoTariffParts,
): Promise<boolean> {
  const { supplier } = await asAdmin<{ supplier: { status: string } | null }>(ENTRY, { mpid });
  if (supplier !== null) return supplier.status === 'ACTIVE';
  const [displayName = name] = name.split(' ');
  const support = `help@${displayName.toLowerCase()}.example`;
  await asAdmin(SAVE, { input: { mpid, name, displayName, support, apiUrl: restUrl } });
  return true;
}

async function publish(plan: DemoTariffPlan, mpid: string, client: GraphqlClient): Promise<void> {
  const { key, replaces, before, input } = plan;
  const id = tariffId(mpid, key);
  const { tariff } = await client<{ tariff: { version: number } | null }>(PRESENT, { tariffId: id });
  if (tariff !== null) return;
  const whole = { ...input, mpid, tariffId: id, replaces: replaces === undefined ? null : tariffId(mpid, replaces) };
  if (before !== undefined) await client(PUBLISH, { input: { ...whole, ...before } });
  await client(PUBLISH, { input: whole });
}

/**
 * A meter point on which no step of the supplier stands gets the first of its tariffs: from its beginning, or after another supplier's from
 * now on, which an admin says, since it has passed when it arrives. Another sandbox may do the same at once: what it did is looked at again.
 */
async function assign(mpxn: string, mpid: string, parts: DemoTariffParts, attempts = 3): Promise<void> {
  const { asAdmin, asSupplier } = parts;
  const { tariffAssignments, registerTime } = await asAdmin<Steps>(STEPS, { mpxn });
  const steps = tariffAssignments.nodes;
  if (steps.some(({ supplier }) => supplier.mpid === mpid)) return;
  const { key, input } = CUSTOMERS_TARIFFS[0];
  const [client, from] = steps.length === 0 ? [asSupplier, input['validFrom']] : [asAdmin, registerTime];
  await client(ASSIGN, { mpxn, tariffId: tariffId(mpid, key), from }).catch((error: unknown) => {
    if (!(error instanceof GraphqlFailure) || attempts === 1) throw error;
    return assign(mpxn, mpid, parts, attempts - 1);
  });
}

interface Steps {
  readonly registerTime: string;
  readonly tariffAssignments: { readonly nodes: readonly { readonly supplier: { readonly mpid: string } }[] };
}

/** The identifier of a demo tariff: the same at each start, another of each supplier. */
function tariffId(mpid: string, key: string): string {
  return `trf_${createHash('sha256').update(`demo tariff ${mpid} ${key}`).digest('hex').slice(0, 32)}`;
}
