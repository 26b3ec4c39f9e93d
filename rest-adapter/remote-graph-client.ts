import { Agent, type IncomingMessage, request } from 'node:http';
import { type ErrorCode, isErrorCode } from '../schema/error-catalogue';
import type { Violation } from '../schema/register-error';
import { SERVICE_TOKEN_HEADER, type ServiceTokens } from '../subgraphs/server/service-token';
import type { GraphAnswer, GraphClient, GraphFailure, RequestFacts } from './graph-client';

/** Milliseconds after which a gateway that does not answer counts as unavailable. */
const ANSWER_TIMEOUT = 9_000;

const UNAVAILABLE: GraphFailure = { code: 'SYS002', message: '' };

/**
 * The graph behind a gateway in another process: trusted documents by name, over HTTP with connections kept alive. The service token
 * of each request tells the gateway the transaction and the client's address.
 */
export function remoteGraphClient(url: string, tokens: ServiceTokens): GraphClient & { close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const target = new URL('/graphql', url);
  const ask = async (question: object, facts: RequestFacts): Promise<GraphAnswer> => {
    const { transactionId, clientAddress } = facts;
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      [SERVICE_TOKEN_HEADER]: await tokens.issue('gateway', { transactionId, clientAddress }),
      ...(facts.authorization === undefined ? {} : { authorization: facts.authorization }),
    };
    return answerOf(await post(agent, target, headers, JSON.stringify(question)));
  };
  return {
    run: (operation, variables, facts) => ask({ documentId: operation, variables }, facts),
    async admit(operation, facts) {
      const { failures } = await ask({ documentId: operation, admitOnly: true }, facts);
      return failures[0];
    },
    close: () => agent.destroy(),
  };
}

/** The body of the answer; undefined when there is none, for whatever reason. */
function post(agent: Agent, url: URL, headers: Record<string, string>, body: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lost = () => resolve(undefined);
    const length = String(Buffer.byteLength(body));
    const outgoing = request(url, { agent, method: 'POST', headers: { ...headers, 'content-length': length } });
    const deadline = setTimeout(() => outgoing.destroy(), ANSWER_TIMEOUT);
    outgoing.on('close', () => clearTimeout(deadline));
    outgoing.on('error', lost);
    outgoing.on('response', (incoming: IncomingMessage) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', lost);
      incoming.on('close', lost);
      incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    outgoing.end(body);
  });
}

interface GatewayAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message?: unknown; readonly extensions?: Record<string, unknown> }[];
}

function answerOf(text: string | undefined): GraphAnswer {
  const answer = parsed(text);
  if (!answer) return { failures: [UNAVAILABLE] };
  return { data: answer.data ?? null, failures: (answer.errors ?? []).map(failureOf) };
}

function parsed(text: string | undefined): GatewayAnswer | undefined {
  if (text === undefined) return undefined;
  try {
    const answer: unknown = JSON.parse(text);
    const isAnswer = typeof answer === 'object' && answer !== null && ('data' in answer || 'errors' in answer);
    return isAnswer ? (answer as GatewayAnswer) : undefined;
  } catch {
    return undefined;
  }
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
