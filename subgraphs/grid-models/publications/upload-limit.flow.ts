import type { Readable } from 'node:stream';
import type { RateLimit } from '../../server/callers/rate-limits';
import { clientNetwork } from '../../server/callers/resource-owner';
import type { UploadCheckOutcome, UploadOutcome } from './received-archive.flow';
import type { Uploads } from './uploads.flow';

/** Outcome instead of `gone` for a network above its limit, which may retry after `retryAfter` seconds. */
interface Limited {
  readonly outcome: 'limited';
  readonly retryAfter: number;
}

/** Uploads of clients: their addresses count against a limit only if they are `gone`, so a valid one is never `limited`. */
export interface LimitedUploads {
  /** Publishes an archive at an address as {@link Uploads.publishAt}. Without `clientAddress` nothing is counted. */
  publishAt(address: string, archive: Readable, clientAddress?: string): Promise<UploadOutcome | Limited>;
  /** Checks an archive at an address as {@link Uploads.checkAt}. Without `clientAddress` nothing is counted. */
  checkAt(address: string, archive: Readable, clientAddress?: string): Promise<UploadCheckOutcome | Limited>;
}

/** Limits the requests of a network to addresses that are `gone`. */
export function limitedUploads(uploads: Uploads, limit: RateLimit): LimitedUploads {
  const counted = async <Outcome extends { readonly outcome: string }>(
    outcome: Outcome,
    clientAddress: string | undefined,
  ): Promise<Outcome | Limited> => {
    if (outcome.outcome !== 'gone' || clientAddress === undefined) return outcome;
    const retryAfter = await limit.count(clientNetwork(clientAddress));
    return retryAfter === null ? outcome : { outcome: 'limited', retryAfter };
  };
  return {
    publishAt: async (address, archive, client) => counted(await uploads.publishAt(address, archive), client),
    checkAt: async (address, archive, client) => counted(await uploads.checkAt(address, archive), client),
  };
}
