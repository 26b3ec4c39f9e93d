import { seriesOf } from '../../server/callers/bearer-token';
import { type CallContext, callerOf, duidOf } from '../../server/callers/caller';
import type { RegisterClock } from '../../server/database/register-clock';
import type { Session } from '../../server/database/transaction';
import type { CeremonyRepository } from './ceremony.repository';
import {
  type IssuedReidentification,
  type ReidentificationRepository,
  type ReidentificationStart,
  issueReidentification,
} from './reidentification.repository';
import { newSecret } from '../keys';
import type { CeremonyStart } from './ceremony';
import { LINK_SECONDS, REDIRECT_SECONDS, secondsAfter } from './reidentification';

/** A re-identification and its first ceremony, issued but not yet stored. The response is stored in the same transaction. */
export interface IssuedCeremony {
  readonly reidentification: IssuedReidentification;
  readonly start: CeremonyStart;
  /** Secret of the mailed link or the redirect. */
  readonly secret: string;
  /** Expiry of the link or the redirect. */
  readonly expiresAt: Date;
}

/** Returns the account that initiates a re-identification, with the series of its bearer token. */
export function initiatorOf(context: CallContext): Pick<ReidentificationStart, 'duid' | 'accountId' | 'tokenSeries'> {
  const { accountId } = callerOf(context);
  return { duid: duidOf(context), accountId, tokenSeries: seriesOf(context.bearer) ?? '' };
}

/** Issues re-identifications: a token-ref for the initiator, and a separate secret for the customer (decisions A/B, 4). */
export class CeremonyIssuer {
  constructor(
    private readonly reidentifications: ReidentificationRepository,
    private readonly ceremonies: CeremonyRepository,
    private readonly clock: RegisterClock,
    private readonly identityRedirectUrl: string,
  ) {}

  async issue(reidentification: ReidentificationStart, start: CeremonyStart): Promise<IssuedCeremony> {
    const now = await this.clock.now();
    const lifetime = start.kind === 'confirm-link' ? LINK_SECONDS : REDIRECT_SECONDS;
    return {
      reidentification: issueReidentification(reidentification, now),
      start,
      secret: newSecret(),
      expiresAt: secondsAfter(now, lifetime),
    };
  }

  async store(session: Session, { reidentification, start, secret, expiresAt }: IssuedCeremony): Promise<void> {
    await this.reidentifications.insert(session, reidentification, expiresAt);
    await this.ceremonies.insert(session, { ...start, reidentificationId: reidentification.id, secret, expiresAt });
  }

  /** URL to which the Data User sends the customer for a passkey ceremony. */
  passkeyRedirect({ secret }: Pick<IssuedCeremony, 'secret'>): string {
    return `${this.identityRedirectUrl}/passkey/${secret}`;
  }
}
