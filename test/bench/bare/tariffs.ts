import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { PRESENT_VERSION, type StoredTariff, TARIFF_COLUMNS } from '../../../subgraphs/tariffs/catalogue/stored-tariff';
import { entryColumns } from '../../../subgraphs/tariffs/register-entries/register-entry.queries';
import { SUPPLIER as SUPPLIERS } from '../../../subgraphs/tariffs/register-entries/supplier.queries';
import { type Conditions, conditionsOf } from '../../../subgraphs/tariffs/catalogue/tariff-conditions.sql';
import { sendJson } from './responses';
import { wholeTariffs } from './whole-tariffs';

const SUPPLIER = {
  name: 'tariff_supplier',
  text: `select ${entryColumns(SUPPLIERS)} from tariffs.supplier where mpid = any($1::text[])`,
};

const page = ({ where, values: { length } }: Conditions) => `select ${TARIFF_COLUMNS}
  from (select tariff_id from tariffs.tariff where ${where} order by last_modified desc, tariff_id limit $${length + 1} offset $${length + 2}) page
  join tariffs.tariff t on t.tariff_id = page.tariff_id join tariffs.${PRESENT_VERSION}
  order by t.last_modified desc, t.tariff_id`;

const total = (where: string) => `select count(*) as total from tariffs.tariff where ${where}`;

interface Query {
  readonly fuel_type?: 'electricity';
  readonly ldz_region?: 'EA';
  readonly payment_method?: 'direct_debit';
  readonly detail?: 'full';
  readonly limit?: string;
}

/**
 * Serves GET /v1/tariff/{mpid} with three filters, in short or whole: the statements of the product, those of the page
 * concurrently.
 */
export function addTariffs(app: FastifyInstance, pool: Pool): void {
  app.get<{ Params: { mpid: string }; Querystring: Query }>('/v1/tariff/:mpid', async (request, reply) => {
    const { mpid } = request.params;
    const { fuel_type: fuelType, ldz_region: ldzRegion, payment_method: paymentMethod, detail } = request.query;
    const limit = Number(request.query.limit ?? LIMIT);
    const supplier = await pool.query({ ...SUPPLIER, values: [[mpid]] });
    if (supplier.rows.length === 0) return sendJson(reply.code(404), { code: 'supplier_not_found' });
    const filter = { mpid, fuelType, ldzRegion, paymentMethod };
    const conditions = conditionsOf(filter);
    const { name, where, values } = conditions;
    const [{ rows }, count] = await Promise.all([
      pool.query<StoredTariff>({
        ...{ name: `tariff_page_${name}`, text: page(conditions), values: [...values, limit + 1, 0] },
      }),
      pool.query<{ total: string }>({
        ...{ name: `tariff_total_${name}`, text: total(where), values: [...values] },
      }),
    ]);
    const isLast = rows.length <= limit;
    const listed = rows.slice(0, limit);
    return sendJson(reply, {
      data: detail === 'full' ? await wholeTariffs(pool, listed) : listed.map(summary),
      meta: {
        ...{ total: Number(count.rows[0]?.total), limit, offset: 0 },
        ...(isLast ? {} : { next_offset: limit }),
      },
    });
  });
}

const LIMIT = 20;

function summary({ tariffId, name, lastModified, tariffType, fuelType, meterType, customerType }: StoredTariff) {
  return {
    tariff_id: tariffId,
    name,
    last_modified: lastModified.toISOString(),
    tariff_type: tariffType,
    fuel_type: fuelType,
    meter_type: meterType,
    customer_type: customerType,
  };
}
