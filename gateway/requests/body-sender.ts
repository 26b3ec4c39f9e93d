import type { FastifyRequest } from 'fastify';
import { errorCatalogue } from '../../schema/error-catalogue';
import { RegisterError } from '../../schema/register-error';
import type { Role } from '../../schema/roles';
import { type Authentication, isCustomerCredential } from '../callers/authentication';
import type { RequestMetadata } from '../client/graph-client';
import { withDeadline } from './deadline';
import { requestMetadata } from './request-metadata';

/** Maximum size of the body of a request that publishes: a tariff with a year of half-hourly prices (decisions C/D, D.2). */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Maximum size of the body of any other request (decisions A/B, 7). */
export const USUAL_BODY_BYTES = 256 * 1024;

/** Roles that publish tariffs and append prices. */
const PUBLISHERS: ReadonlySet<Role | undefined> = new Set<Role>(['supplier', 'admin']);

/** The sender of a body that may be large, identified before the body was read. */
interface Sender {
  readonly mayPublish: boolean;
  /** The error of a rejected credential. */
  readonly error: RegisterError | undefined;
  /** Metadata for the rest of the request, which is counted if the credential was accepted. */
  readonly metadata: RequestMetadata;
}

const senders = new WeakMap<FastifyRequest, Sender>();

/** Returns the size of a body by its headers, Infinity for a body of unknown size. */
export function announcedBytes({ headers }: FastifyRequest): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

/**
 * Identifies the sender of a body that may be larger than usual, before the body is read: its JSON would occupy the process for a second.
 * Throws the error of its credential (AUT001, AUT002, AUT003, LIM002, SYS002), and LIM001 for a size that is announced. A body of unknown
 * size is read up to the limit of its sender.
 */
export async function identifySender(request: FastifyRequest, callers: Authentication): Promise<void> {
  const bytes = announcedBytes(request);
  if (bytes <= USUAL_BODY_BYTES) return;
  const sender = await senderOf(requestMetadata(request), callers);
  if (sender) senders.set(request, sender);
  if (Number.isFinite(bytes) && bytes > maxBodyBytes(request)) throw oversized(request);
}

async function senderOf(metadata: RequestMetadata, callers: Authentication): Promise<Sender | undefined> {
  const { authorization, supplierKey } = metadata;
  if ((authorization ?? supplierKey) === undefined || isCustomerCredential(authorization)) return undefined;
  const { context, error } = await withDeadline(Promise.resolve(callers.identify(metadata)));
  return {
    mayPublish: PUBLISHERS.has(context.caller?.role),
    error,
    metadata: error ? metadata : { ...metadata, isCounted: true },
  };
}

/** Returns the maximum size of the body of a request. */
export function maxBodyBytes(request: FastifyRequest): number {
  return senders.get(request)?.mayPublish ? MAX_BODY_BYTES : USUAL_BODY_BYTES;
}

/** Returns the error of a body that is larger than its sender may send: that of the credential, or LIM001. */
export function oversized(request: FastifyRequest): RegisterError {
  return senders.get(request)?.error ?? new RegisterError('LIM001', bodyTooLarge(request));
}

/** Returns the message of LIM001, with the limit of the request. */
export function bodyTooLarge(request: FastifyRequest): string {
  return maxBodyBytes(request) === MAX_BODY_BYTES ? 'The body is larger than 2 MiB.' : errorCatalogue.LIM001.meaning;
}

/** Returns the metadata of a request, with which its sender is not counted again. */
export function senderMetadata(request: FastifyRequest): RequestMetadata {
  return senders.get(request)?.metadata ?? requestMetadata(request);
}
