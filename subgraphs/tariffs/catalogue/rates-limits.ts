import { RegisterError } from '../../../schema/register-error';

/**
 * Bytes of stored rates that one request may read over all its tariffs; one tariff may have more. Rates of several kilobytes are stored
 * compressed, to about a sixth. 100 usual tariffs need a fifth of it. Two with a price for each half-hour of the year exceed it: their
 * response would block the event loop.
 */
export const MAX_REQUEST_BYTES = 384 * 1_024;

/**
 * Bytes of stored rates that one request may read over all tariffs that apply to its consumer, for whom there is no page that could end
 * before: some ten tariffs with a price for each half-hour of the year.
 */
export const MAX_SHARED_BYTES = 2_048 * 1_024;

/** Bytes of stored rates after which a page of whole tariffs ends: below those of a request, which may read other tariffs as well. */
export const MAX_PAGE_BYTES = 256 * 1_024;

/** Counts the stored rates that each request reads. */
export class RequestedRates {
  private readonly read = new WeakMap<object, { readonly tariffs: Set<string>; bytes: number }>();

  /** @param remedy ends the message of the error */
  constructor(
    private readonly maxBytes: number,
    private readonly remedy: string,
  ) {}

  /** Adds the rates of a tariff to those of a request, once. Throws VAL003 if they exceed the maximum. */
  add(request: object, tariffId: string, bytes: number): void {
    const read = this.read.get(request) ?? { tariffs: new Set<string>(), bytes: 0 };
    this.read.set(request, read);
    if (read.tariffs.has(tariffId)) return;
    if (read.tariffs.size > 0 && read.bytes + bytes > this.maxBytes)
      throw new RegisterError(
        'VAL003',
        `A request may read rates of ${this.maxBytes / 1_024} KiB of storage, or those of one tariff; ${this.remedy}`,
      );
    read.tariffs.add(tariffId);
    read.bytes += bytes;
  }
}
