import type { FastifyRequest } from 'fastify';
import { newIdentifier } from '../schema/identifiers';
import { clientAddress } from './client/client-address';
import { type RequestFacts, supplierKeyIn } from './client/graph-client';
import { SERVICE_TOKEN_HEADER, type ServiceTokens } from '../subgraphs/server/service-token';

/**
 * The facts of an HTTP request. A service of the register proves itself with a service token and passes on the transaction
 * id and client address of the request that it serves; nobody else can set them. AUT001 when the service token is invalid.
 */
export async function factsOf(request: FastifyRequest, tokens: ServiceTokens): Promise<RequestFacts> {
  const { authorization, [SERVICE_TOKEN_HEADER]: proof } = request.headers;
  const credentials = { authorization, supplierKey: supplierKeyIn(request.headers) };
  if (proof === undefined)
    return { ...credentials, transactionId: newIdentifier('tid'), clientAddress: clientAddress(request) };
  const told = await tokens.verify(String(proof), 'gateway');
  return { ...credentials, transactionId: told.transactionId, clientAddress: told.clientAddress };
}
