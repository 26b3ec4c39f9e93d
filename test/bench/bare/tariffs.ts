import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { PRESENT_VERSION, type StoredTariff, TARIFF_COLUMNS } from '../../../subgraphs/tariffs/catalogue/stored-tariff';
import { entryColumns } from '../../../subgraphs/tariffs/register-entries/register-entry.queries';
import { SUPPLIER as SUPPLIERS } from '../../../subgraphs/tariffs/register-entries/supplier.queries';
import { conditionsOf } from '../../../subgraphs/tariffs/catalogue/tariff-conditions.sql';
import { sendJson } from './answers';

const SUPPLIER = {
  name: 'tariff_supplier',
  text: `select ${entryColumns(SUPPLIERS)} from tariffs.supplier where mpid = any($1::text[])`,
};

const page = (where: string) => `select ${TARIFF_COLUMNS}
  from (select tariff_id from tariffs.tariff where ${where} order by last_modified desc, tariff_id limit $1 offset $2) page
  join tariffs.tariff t on t.tariff_id = page.tariff_id join tariffs.${PRESENT_VERSION}
  order by t.last_modified desc, t.tariff_id`;

const total = (where: string) => `select count(*) as total from tariffs.tariff where ${where}`;

interface Query {
  readonly fuel_type: 'electricity';
  readonly ldz_region: 'EA';
  readonly payment_method: 'direct_debit';
}

/** Serves GET /v1/tariff/{mpid} with three filters: the statements of the product, the last two concurrently. */
export function addTariffs(app: FastifyInstance, pool: Pool): void {
  app.get<{ Params: { mpid: string }; Querystring: Query }>('/v1/tariff/:mpid', async (request, reply) => {
    const { mpid } = request.params;
    const { fuel_type: fuelType, ldz_region: ldzRegion, payment_method: paymentMethod } = request.query;
    const supplier = await pool.query({ ...SUPPLIER, values: [[mpid]] });
    if (supplier.rows.length === 0) return sendJson(reply.code(404), { code: 'supplier_not_found' });
    const filter = { mpid, fuelType, ldzRegion, paymentMethod };
    const [ofPage, ofTotal] = [conditionsOf(filter, 3), conditionsOf(filter, 1)];
    const [{ rows }, count] = await Promise.all([
      pool.query<StoredTariff>({
        ...{ name: 'tariff_page', text: page(ofPage.where), values: [LIMIT + 1, 0, ...ofPage.values] },
      }),
      pool.query<{ total: string }>({
        ...{ name: 'tariff_total', text: total(ofTotal.where), values: [...ofTotal.values] },
      }),
    ]);
    const isLast = rows.length <= LIMIT;
    return sendJson(reply, {
      data: rows.slice(0, LIMIT).map(summary),
      meta: {
        ...{ total: Number(count.rows[0]?.total), limit: LIMIT, offset: 0 },
        ...(isLast ? {} : { next_offset: LIMIT }),
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
