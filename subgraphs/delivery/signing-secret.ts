import { randomBytes } from 'node:crypto';

/** Prefix of every signing secret; behind it 32 random bytes in base64 (2-decisions-a-b.md, section 6). */
const SIGNING_SECRET_PREFIX = 'whsec_';

/** Seconds for which a replaced secret stays valid, from its own replacement. */
export const ROTATION_OVERLAP_SECONDS = 15 * 60;

/**
 * Former secrets that sign besides the current one, at most: so many rotations may fall within one overlap, or those before them are
 * forgotten early.
 */
export const MOST_ROTATIONS = 3;

/** A signing secret and the time for which it was the current one. */
export interface SigningSecret {
  readonly secret: string;
  readonly createdAt: Date;
  /** Null: it is the current one. */
  readonly replacedAt: Date | null;
}

/** What an attempt is signed for. */
export interface SigningOccasion {
  readonly now: Date;
  /** When the event was made. */
  readonly recordedAt: Date;
  readonly isRedelivery: boolean;
}

/** The secrets of an attempt. */
export interface SigningSecrets {
  /** Of `X-DAR-Signature`: the one current when the event was made while that is valid, else the current one; of a redelivery that. */
  readonly single: string;
  /** Of the list in `webhook-signature`, the current one first. */
  readonly all: readonly string[];
}

/** With which secrets an attempt is signed. Undefined without a current one. */
export function signingSecrets(
  secrets: readonly SigningSecret[],
  { now, recordedAt, isRedelivery }: SigningOccasion,
): SigningSecrets | undefined {
  const current = secrets.find(({ replacedAt }) => replacedAt === null);
  if (current === undefined) return undefined;
  const valid = secrets.filter((secret) => isValid(secret, now)).toSorted(newestFirst);
  const original = valid.find(
    ({ createdAt, replacedAt }) => createdAt <= recordedAt && (replacedAt === null || recordedAt < replacedAt),
  );
  return { single: (isRedelivery ? current : (original ?? current)).secret, all: valid.map(({ secret }) => secret) };
}

/** The current secret, and each replaced one until its overlap is over. */
function isValid({ replacedAt }: SigningSecret, now: Date): boolean {
  return replacedAt === null || now.getTime() < replacedAt.getTime() + ROTATION_OVERLAP_SECONDS * 1000;
}

function newestFirst(one: SigningSecret, other: SigningSecret): number {
  if (one.replacedAt === null) return -1;
  if (other.replacedAt === null) return 1;
  return other.replacedAt.getTime() - one.replacedAt.getTime();
}

/** A new signing secret. */
export function newSigningSecret(): string {
  return SIGNING_SECRET_PREFIX + randomBytes(32).toString('base64');
}
