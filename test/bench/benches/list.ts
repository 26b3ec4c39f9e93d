import { type Bench, bareSide, comparisons, productSide } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import type { Load } from '../load';
import { expectSameResponse } from '../same-response';

/** GET /v1/meter-points/{mpxn}/access-records: 20 own records of a random meter point. */
export function listLoad({ rows, token }: BenchRegister): Load {
  return {
    method: 'GET',
    path: '/v1/meter-points/{key}/access-records',
    headers: { authorization: `Bearer ${token}` },
    keys: rows.mpxns,
  };
}

/** Lists the records of a meter point, against the bare server. */
export const list: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  const load = listLoad(register);
  const sides = [productSide(fixture, register, load), bareSide(fixture, register, load)] as const;
  await expectSameResponse(...sides);
  return comparisons('list', [...sides], context.seconds);
};
