import type { RegisterClock } from '../../server/register-clock';
import type { Session } from '../../server/transaction';
import type { CeremonyRepository } from '../database/ceremony.repository';
import {
  type IssuedReidentification,
  type ReidentificationRepository,
  type ReidentificationStart,
  issueReidentification,
} from '../database/reidentification.repository';
import { newSecret } from '../database/secrets';
import type { CeremonyStart } from '../domain/ceremony';
import { LINK_SECONDS, REDIRECT_SECONDS, secondsAfter } from '../domain/reidentification';

/** A re-identification with the ceremony that it begins with, issued and not yet stored: its answer is kept in the same transaction. */
export interface IssuedCeremony {
  readonly reidentification: IssuedReidentification;
  readonly start: CeremonyStart;
  /** What the mailed link or the redirect carries. */
  readonly secret: string;
  /** Expiry of the link or the redirect. */
  readonly expiresAt: Date;
}

/** Issues re-identifications: token-ref for the initiator, secret of its own for the customer (2-decisions-a-b.md, section 4). */
export class CeremonyIssuer {
  constructor(
    private readonly reidentifications: ReidentificationRepository,
    private readonly ceremonies: CeremonyRepository,
    private readonly clock: RegisterClock,
    private readonly identityRedirectUrl: string,
  ) {}

  async issue(facts: ReidentificationStart, start: CeremonyStart): Promise<IssuedCeremony> {
    const now = await this.clock.now();
    const lifetime = start.kind === 'confirm-link' ? LINK_SECONDS : REDIRECT_SECONDS;
    return {
      reidentification: issueReidentification(facts, now),
      start,
      secret: newSecret(),
      expiresAt: secondsAfter(now, lifetime),
    };
  }

  async store(session: Session, { reidentification, start, secret, expiresAt }: IssuedCeremony): Promise<void> {
    await this.reidentifications.insert(session, reidentification, expiresAt);
    await this.ceremonies.insert(session, { ...start, reidentificationId: reidentification.id, secret, expiresAt });
  }

  /** Where the Data User sends the customer for a passkey ceremony. */
  passkeyRedirect({ secret }: Pick<IssuedCeremony, 'secret'>): string {
    return `${this.identityRedirectUrl}/passkey/${secret}`;
  }
}
