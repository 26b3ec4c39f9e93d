import fc from 'fast-check';
import type { WireRequest } from './http-exchange';

/** What a request may become, and whether it still comes to its operation, with its caller's token. */
export interface OddRequest extends WireRequest {
  /** Method and path are those of the operation still. */
  readonly isServed: boolean;
  /** `authorization` is as it was. */
  readonly isSignedIn: boolean;
}

/** One change of a request. */
export type Oddity = (request: OddRequest) => OddRequest;

/** Headers beside, or instead of, those of a request. */
export const withHeaders =
  (headers: OddRequest['headers']): Oddity =>
  (request) => ({ ...request, headers: { ...request.headers, ...headers } });

/** Text of a header. */
export const visible = fc.stringMatching(/^[\x21-\x7e\x80-\xff]{1,60}$/);
