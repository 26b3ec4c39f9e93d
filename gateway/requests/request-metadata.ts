import type { FastifyRequest } from 'fastify';
import { newIdentifier } from '../../schema/identifiers';
import { clientAddress } from '../client/client-address';
import { type RequestMetadata, supplierKeyIn } from '../client/graph-client';

/** Returns the metadata of an HTTP request: its credentials as sent, a new transaction id, and the client's address. */
export function requestMetadata(request: FastifyRequest): RequestMetadata {
  const { authorization } = request.headers;
  return {
    authorization,
    supplierKey: supplierKeyIn(request.headers),
    transactionId: newIdentifier('tid'),
    clientAddress: clientAddress(request),
  };
}
