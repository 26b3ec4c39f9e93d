import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Sends a JSON response. */
export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Returns the response metadata of Interface A. */
export function responseMetadata(resource: string) {
  return { resource, timestamp: new Date().toISOString(), 'transaction-id': transactionId() };
}

/** Returns a new transaction id. */
export function transactionId(): string {
  return `tid_${randomBytes(12).toString('hex')}`;
}
