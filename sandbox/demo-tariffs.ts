import { createHash } from 'node:crypto';
import { CUSTOMERS_TARIFFS, type DemoTariffPlan, OTHER_TARIFFS } from './demo-tariff-plans';
import { type GraphqlClient, GraphqlFailure } from './graphql-client';

/** Inputs of {@link publishDemoTariffs}. */
interface DemoTariffOptions {
  readonly asAdmin: GraphqlClient;
  /** Client of the demo supplier, which publishes its tariffs and assigns them to its customers. */
  readonly asSupplier: GraphqlClient;
  readonly supplier: { readonly mpid: string; readonly name: string };
  /** The meter points of the demo customers. */
  readonly mpxns: readonly string[];
  /** URL of the REST interfaces, which include the supplier endpoints. */
  readonly restUrl: string;
}

/** The sample tariff in `sandbox.json`. */
export interface SampleTariff {
  readonly mpid: string;
  readonly tariff_id: string;
}

/** A supplier without an account: an admin publishes its tariffs. */
const OTHER_SUPPLIER = { mpid: 'FNLD', name: 'Fenland Energy Ltd' };

/** The fictional tariffs: of the demo supplier, and of another one. */
export const DEMO_TARIFFS = { customers: CUSTOMERS_TARIFFS, others: OTHER_TARIFFS, otherSupplier: OTHER_SUPPLIER };

const ENTRY = `query Entry($mpid: String!) { supplier(mpid: $mpid) { status } }`;
const SAVE = `mutation Save($input: SupplierInput!) { saveSupplier(input: $input) { isNew } }`;
const PRESENT = `query Present($tariffId: String!) { tariff(tariffId: $tariffId) { version } }`;
const PUBLISH = `mutation Publish($input: TariffInput!) { publishTariff(input: $input) { isNew } }`;
const ASSIGNMENTS = `query Assignments($mpxn: String!) {
  registerTime
  tariffAssignments(mpxn: $mpxn, first: 50) { nodes { supplier { mpid } } }
}`;
const ASSIGN = `mutation Assign($mpxn: String!, $tariffId: String!, $from: DateTime!) {
  assignTariff(mpxn: $mpxn, tariffId: $tariffId, from: $from) { from }
}`;

/**
 * Publishes the fictional tariffs as a supplier and an admin do, and assigns one to each demo customer. Does not change
 * existing suppliers, tariffs and assignments, so it can run again and completes earlier sandboxes.
 */
export async function publishDemoTariffs(options: DemoTariffOptions): Promise<void> {
  const { asAdmin, asSupplier, supplier, mpxns } = options;
  if (await isActive(supplier, options)) {
    for (const plan of CUSTOMERS_TARIFFS) await publish(plan, supplier.mpid, asSupplier);
    for (const mpxn of mpxns) await assign(mpxn, supplier.mpid, options);
  }
  if (await isActive(OTHER_SUPPLIER, options)) {
    for (const plan of OTHER_TARIFFS) await publish(plan, OTHER_SUPPLIER.mpid, asAdmin);
  }
}

/** Returns the sample tariff of the demo supplier. */
export function sampleTariff(mpid: string): SampleTariff {
  return { mpid, tariff_id: tariffId(mpid, CUSTOMERS_TARIFFS[0].key) };
}

/** Returns true if a supplier may publish. Creates its entry if there is none. */
async function isActive(
  { mpid, name }: DemoTariffOptions['supplier'],
  { asAdmin, restUrl }: DemoTariffOptions,
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
 * Assigns the supplier's first tariff to a meter point that has no assignment of the supplier: from the start of the
 * tariff if the meter point has no assignment, otherwise from now. The latter is in the past when the request arrives,
 * so it is made as an admin. Another sandbox may assign at the same time: after a failure, reads the assignments again.
 */
async function assign(mpxn: string, mpid: string, options: DemoTariffOptions, attempts = 3): Promise<void> {
  const { asAdmin, asSupplier } = options;
  const { tariffAssignments, registerTime } = await asAdmin<Assignments>(ASSIGNMENTS, { mpxn });
  const assignments = tariffAssignments.nodes;
  if (assignments.some(({ supplier }) => supplier.mpid === mpid)) return;
  const { key, input } = CUSTOMERS_TARIFFS[0];
  const [client, from] = assignments.length === 0 ? [asSupplier, input['validFrom']] : [asAdmin, registerTime];
  await client(ASSIGN, { mpxn, tariffId: tariffId(mpid, key), from }).catch((error: unknown) => {
    if (!(error instanceof GraphqlFailure) || attempts === 1) throw error;
    return assign(mpxn, mpid, options, attempts - 1);
  });
}

interface Assignments {
  readonly registerTime: string;
  readonly tariffAssignments: { readonly nodes: readonly { readonly supplier: { readonly mpid: string } }[] };
}

/** Returns the identifier of a demo tariff, which is the same at each start and unique for each supplier. */
function tariffId(mpid: string, key: string): string {
  return `trf_${createHash('sha256').update(`demo tariff ${mpid} ${key}`).digest('hex').slice(0, 32)}`;
}
