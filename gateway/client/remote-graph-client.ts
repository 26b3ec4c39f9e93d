import { type ErrorCode, isErrorCode } from '../../schema/error-catalogue';
import type { Violation } from '../../schema/register-error';
import { serviceRequests } from '../../subgraphs/server/service-request';
import { SERVICE_TOKEN_HEADER, type ServiceTokens } from '../../subgraphs/server/service-token';
import {
  type GraphAnswer,
  type GraphClient,
  type GraphFailure,
  type RequestFacts,
  SUPPLIER_KEY_HEADER,
} from './graph-client';

const UNAVAILABLE: GraphFailure = { code: 'SYS002', message: '' };

/**
 * The graph behind a gateway in another process: trusted documents by name, over HTTP with connections kept alive. The service token
 * of each request tells the gateway the transaction and the client's address.
 */
export function remoteGraphClient(url: string, tokens: ServiceTokens): GraphClient & { close(): void } {
  const requests = serviceRequests(url);
  const ask = async (question: object, facts: RequestFacts): Promise<GraphAnswer> => {
    const { transactionId, clientAddress, authorization, supplierKey } = facts;
    const headers = {
      [SERVICE_TOKEN_HEADER]: await tokens.issue('gateway', { transactionId, clientAddress }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(supplierKey === undefined ? {} : { [SUPPLIER_KEY_HEADER]: supplierKey }),
    };
    const body = await requests.post(headers, question);
    return isRefusal(body, transactionId) ? { failures: [UNAVAILABLE] } : answerOf(body);
  };
  return {
    run: (operation, variables, facts) => ask({ documentId: operation, variables }, facts),
    async admit(operation, facts) {
      const { failures } = await ask({ documentId: operation, admitOnly: true }, facts);
      return failures[0];
    },
    close: () => requests.close(),
  };
}

/**
 * Whether the gateway does not accept this service: their clocks or keys differ. Then it does not know of which transaction the request is,
 * and a client cannot help it, so it never becomes the client's 401.
 */
function isRefusal(body: unknown, transactionId: string): boolean {
  const { errors, extensions } = (body ?? {}) as GatewayAnswer;
  return errors?.[0]?.extensions?.['code'] === 'AUT001' && extensions?.['transactionId'] !== transactionId;
}

interface GatewayAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message?: unknown; readonly extensions?: Record<string, unknown> }[];
  readonly extensions?: Record<string, unknown>;
}

function answerOf(body: unknown): GraphAnswer {
  const isAnswer = typeof body === 'object' && body !== null && ('data' in body || 'errors' in body);
  if (!isAnswer) return { failures: [UNAVAILABLE] };
  const answer = body as GatewayAnswer;
  return { data: answer.data ?? null, failures: (answer.errors ?? []).map(failureOf) };
}

function failureOf({ message, extensions }: NonNullable<GatewayAnswer['errors']>[number]): GraphFailure {
  const code: ErrorCode = isErrorCode(extensions?.['code']) ? extensions['code'] : 'SYS001';
  const violations = extensions?.['violations'];
  const retryAfter = extensions?.['retryAfter'];
  return {
    code,
    message: typeof message === 'string' ? message : '',
    ...(Array.isArray(violations) ? { violations: violations as Violation[] } : {}),
    ...(typeof retryAfter === 'number' ? { retryAfter } : {}),
  };
}
