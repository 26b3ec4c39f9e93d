import { Client } from 'pg';
import { entry, group, window } from '../support/tariff-examples';
import { progress } from './progress';

/** Keys by which the rows of tariffs can be read. */
export interface TariffRows {
  /** Suppliers with equal numbers of tariffs. */
  readonly mpids: readonly string[];
  /** The supplier with half of all tariffs. */
  readonly large: { readonly mpid: string; readonly tariffs: number };
}

const SUPPLIERS = 20;
const LARGE = 'BBIG';

const ENTRIES = `
  insert into supplier (mpid, name, display_name, support, api_url)
  select mpid, 'Bench Supply ' || mpid, mpid, 'support@bench.example', 'https://bench.example'
  from unnest($1::text[]) mpid`;

/**
 * Every second tariff belongs to the large supplier; regions, payment methods and fuels vary so that three filters
 * match some tariffs of each page.
 */
const TARIFFS = `
  insert into tariff (tariff_id, mpid, tariff_type, fuel_type, energy_flow, payment_method, meter_type, customer_type, ldz_region,
    standing_charge, vat_included, vat_rate, valid_from, last_modified)
  select 'trf_' || md5(n::text), case when n % 2 = 0 then $3 else ($2::text[])[1 + (n / 2) % cardinality($2::text[])] end,
    'static', (array['electricity', 'gas'])[1 + (n / 64) % 2], 'import', (array['direct_debit', 'prepayment'])[1 + (n / 128) % 2],
    'smart', 'residential', (array['EA', 'EM', 'SC'])[1 + n % 3], '0.5312', true, 5, '2026-01-01', register_now() - n * interval '1 s'
  from generate_series(1, $1::int) n`;

const VERSIONS = `
  insert into tariff_version (tariff_id, version, name, description, account_id)
  select tariff_id, 1, 'Bench Tariff ' || left(tariff_id, 10), 'A tariff of the bench.', 'acc_bench' from tariff where mpid = any($1::text[])`;

const RATES = `
  insert into tariff_rates (tariff_id, rates) select tariff_id, $2::jsonb from tariff where mpid = any($1::text[])`;

/** Inserts the rows of this many publications into the schema of the product. */
export async function fillTariffs(databaseUrl: string, tariffs: number): Promise<TariffRows> {
  const mpids = Array.from({ length: SUPPLIERS }, (_, index) => `B${String(index).padStart(3, '0')}`);
  const all = [...mpids, LARGE];
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('set search_path = tariffs, register; set synchronous_commit = off');
    await client.query('set session_replication_role = replica');
    await client.query(ENTRIES, [all]);
    await client.query(TARIFFS, [tariffs, mpids, LARGE]);
    await client.query(VERSIONS, [all]);
    await client.query(RATES, [all, JSON.stringify(SCHEDULE)]);
    progress(`${tariffs} tariffs are made`);
    await client.query('vacuum analyze supplier, tariff, tariff_version, tariff_rates');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
  return { mpids, large: { mpid: LARGE, tariffs: tariffs / 2 } };
}

/** Expensive early evenings of working days, cheap nights, and tiers at weekends. */
const SCHEDULE = [
  entry(
    ['All'],
    group(
      ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
      ...[window('00:00', '06:00', '0.1420'), window('06:00', '16:00', '0.2310')],
      ...[window('16:00', '19:00', '0.3890'), window('19:00', '00:00', '0.2310')],
    ),
    group(['Sat', 'Sun'], {
      ...window('00:00', '00:00', '0.1980'),
      rate: [
        { unitPrice: '0.1980', toKwh: '8.5' },
        { unitPrice: '0.2150', toKwh: null },
      ],
    }),
  ),
];
