import { Agent, type IncomingMessage, request } from 'node:http';
import { traceHeaders } from './tracing';

/** Milliseconds after which a service that does not answer counts as unavailable, below the ten in which every request is answered. */
const ANSWER_TIMEOUT = 8_500;

/** Sends JSON to another service of the register over connections that are kept alive. */
export interface ServiceRequests {
  /** The JSON of the answer; undefined when there is none, for whatever reason. */
  post(headers: Readonly<Record<string, string>>, body: unknown): Promise<unknown>;
  close(): void;
}

/** Requests to the GraphQL endpoint of one service. */
export function serviceRequests(url: string): ServiceRequests {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const target = new URL('/graphql', url);
  return {
    post: async (headers, body) =>
      parsed(await send(agent, target, { ...headers, ...traceHeaders() }, JSON.stringify(body))),
    close: () => agent.destroy(),
  };
}

function send(agent: Agent, url: URL, headers: Record<string, string>, body: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lost = () => resolve(undefined);
    const described = {
      'content-type': 'application/json',
      accept: 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    };
    const outgoing = request(url, { agent, method: 'POST', headers: { ...described, ...headers } });
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

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
