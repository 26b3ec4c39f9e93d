import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { newIdentifier } from '../schema/identifiers';
import { supplierKeyIn } from './client/graph-client';
import { SERVICE_TOKEN_HEADER, type ServiceTokens } from '../subgraphs/server/service-token';

/** Where an operation comes from: what authentication, rate limits and the log need to know of its request. */
export interface RequestOrigin {
  /** The `Authorization` header as sent. */
  readonly authorization?: string | undefined;
  /** The `X-Supplier-API-Key` header as sent (3-decisions-c-d.md, D.1). */
  readonly supplierKey?: string | undefined;
  readonly transactionId: string;
  readonly clientAddress: string;
}

/**
 * The origin of an HTTP request. A service of the register proves itself with a service token and passes on the transaction
 * id and client address of the request that it serves; nobody else can set them. AUT001 when the service token is invalid.
 */
export async function originOf(request: FastifyRequest, tokens: ServiceTokens): Promise<RequestOrigin> {
  const { authorization, [SERVICE_TOKEN_HEADER]: proof } = request.headers;
  const credentials = { authorization, supplierKey: supplierKeyIn(request.headers) };
  if (proof === undefined)
    return { ...credentials, transactionId: newIdentifier('tid'), clientAddress: addressOf(request) };
  const { transactionId, clientAddress } = await tokens.verify(String(proof), 'gateway');
  return { ...credentials, transactionId, clientAddress };
}

/** The address that the trusted proxies vouch for; whatever is none is the socket's. */
function addressOf({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
}
