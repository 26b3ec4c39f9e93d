import { isErrorCode } from '../../schema/error-catalogue';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, ServiceName } from './caller';
import type { SubgraphLink } from './subgraph-link';

/** Of which request a question is, for logs, traces and limits. */
export type QuestionOrigin = Pick<CallContext, 'transactionId' | 'clientAddress'>;

/** Asks another subgraph something on the account of this service; its refusal is thrown with the same code, and the wait of LIM002. */
export async function askSubgraph<Data>(
  link: SubgraphLink,
  from: ServiceName,
  query: string,
  variables: Record<string, unknown>,
  { transactionId, clientAddress }: QuestionOrigin,
): Promise<Data> {
  const { data, errors } = await link.execute(
    { query, variables, fixed: true },
    { caller: null, service: from, transactionId, clientAddress },
  );
  const [error] = errors ?? [];
  if (!error) return data as Data;
  const { code, retryAfter } = error.extensions ?? {};
  if (!isErrorCode(code)) throw error;
  throw new RegisterError(code, error.message, typeof retryAfter === 'number' ? { retryAfter } : {});
}
