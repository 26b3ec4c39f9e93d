import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { type Bench, bareSide, comparison, comparisons, productSide } from '../bench-context';
import type { BenchRegister } from '../bench-fixture';
import type { Load } from '../load';
import { expectSameResponse } from '../same-response';

const OPERATION = 'ReadAccessRecordWithParties';
const DOCUMENT = join(REPOSITORY_ROOT, 'gateway', 'operations', 'readAccessRecordWithParties.graphql');

/** Access record, Identity Record and Data User in one operation, as a trusted document, against one SQL join. */
export const federated: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  const load = graphLoad(register, { documentId: OPERATION });
  const sides = [productSide(fixture, register, load, register.gateway), bareSide(fixture, register, load)] as const;
  await expectSameResponse(...sides);
  return comparisons('federated', [...sides], context.seconds);
};

/** The operation as an ordinary request, which contains its text. */
export const federatedAdHoc: Bench = async (context) => {
  const { fixture } = context;
  const register = await context.register();
  const load = graphLoad(register, { query: readFileSync(DOCUMENT, 'utf8') });
  const sides = [productSide(fixture, register, load, register.gateway), bareSide(fixture, register, load)] as const;
  await expectSameResponse(...sides);
  return [await comparison('federated-ad-hoc', sides, context.seconds)];
};

function graphLoad({ rows, token }: BenchRegister, request: Record<string, unknown>): Load {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...request, variables: { ak: '{key}' } }),
    keys: rows.accessKeys,
  };
}
