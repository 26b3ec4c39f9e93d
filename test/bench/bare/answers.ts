import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Sends a JSON answer. */
export function sendJson(reply: FastifyReply, body: unknown): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** The metadata of an answer of Interface A. */
export function responseMetadata(resource: string) {
  return { resource, timestamp: new Date().toISOString(), 'transaction-id': transactionId() };
}

/** A new transaction id. */
export function transactionId(): string {
  return `tid_${randomBytes(12).toString('hex')}`;
}
