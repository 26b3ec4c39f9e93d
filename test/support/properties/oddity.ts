import fc from 'fast-check';
import type { WireRequest } from './http-exchange';

/** A changed request, and whether it still reaches its operation with its caller's token. */
export interface OddRequest extends WireRequest {
  /** Whether method and path are still those of the operation. */
  readonly isServed: boolean;
  /** Whether `authorization` is unchanged. */
  readonly isSignedIn: boolean;
}

/** One change of a request. */
export type Oddity = (request: OddRequest) => OddRequest;

/** Adds headers to a request, or replaces them. */
export const withHeaders =
  (headers: OddRequest['headers']): Oddity =>
  (request) => ({ ...request, headers: { ...request.headers, ...headers } });

/** Text of a header. */
export const visible = fc.stringMatching(/^[\x21-\x7e\x80-\xff]{1,60}$/);
