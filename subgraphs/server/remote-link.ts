import { Agent, request } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { RegisterError } from '../../schema/register-error';
import type { CallContext, ServiceName } from './caller';
import { SERVICE_TOKEN_HEADER, type ServiceTokens } from './service-token';
import type { SubgraphLink } from './subgraph-link';

/** Milliseconds after which a subgraph that does not answer counts as unavailable. */
const ANSWER_TIMEOUT = 8_000;

/** A subgraph in another process: each request carries a service token, and the caller's own bearer token. */
export function remoteLink(name: ServiceName, url: string, tokens: ServiceTokens): SubgraphLink {
  const agent = new Agent({ keepAlive: true, maxSockets: 128 });
  const target = new URL('/graphql', url);
  return {
    name,
    async execute({ query, variables, operationName, fixed }, context) {
      const headers = {
        'content-type': 'application/json',
        [SERVICE_TOKEN_HEADER]: await tokens.issue(name, factsOf(context)),
        ...(context.bearer === undefined ? {} : { authorization: `Bearer ${context.bearer}` }),
      };
      return postJson(agent, target, headers, JSON.stringify({ query, variables, operationName, fixed }));
    },
  };
}

function factsOf({ caller, transactionId, clientAddress, service }: CallContext) {
  return { caller, transactionId, clientAddress, onOwnAccount: service !== null };
}

function postJson(agent: Agent, url: URL, headers: Record<string, string>, body: string): Promise<ExecutionResult> {
  return new Promise((resolve, reject) => {
    const unavailable = () => reject(new RegisterError('SYS002'));
    const outgoing = request(url, { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
    outgoing.setTimeout(ANSWER_TIMEOUT, () => outgoing.destroy(new Error('timeout')));
    outgoing.on('error', unavailable);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', unavailable);
      incoming.on('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as ExecutionResult);
        } catch {
          unavailable();
        }
      });
    });
    outgoing.end(body);
  });
}
