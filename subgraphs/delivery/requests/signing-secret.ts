import { randomBytes } from 'node:crypto';

/** Prefix of a signing secret, before 32 random bytes in base64 (decisions A/B, 6). */
export const SIGNING_SECRET_PREFIX = 'whsec_';

/** Time for which a secret stays valid after its replacement. */
export const ROTATION_OVERLAP_SECONDS = 15 * 60;

/** Maximum rotations within one overlap, and so maximum replaced secrets that still sign. */
export const MAX_ROTATIONS = 3;

/** A signing secret and the period in which it is current. */
export interface SigningSecret {
  readonly secret: string;
  readonly createdAt: Date;
  /** Null for the current secret. */
  readonly replacedAt: Date | null;
}

/** The attempt that is signed. */
interface SigningContext {
  readonly now: Date;
  /** When the event occurred. */
  readonly recordedAt: Date;
  readonly isRedelivery: boolean;
}

/** The secrets of an attempt. */
export interface SigningSecrets {
  /** Secret of `X-DAR-Signature`: the one that was current when the event occurred, if it is valid; else the current one. */
  readonly single: string;
  /** Secrets of the signatures in `webhook-signature`, the current one first. */
  readonly all: readonly string[];
}

/**
 * Returns the secrets that sign an attempt; undefined without a current one. The `single` secret of a redelivery is the current one. A secret
 * that was replaced while the clock was ahead is not the original one of later events.
 */
export function signingSecrets(
  secrets: readonly SigningSecret[],
  { now, recordedAt, isRedelivery }: SigningContext,
): SigningSecrets | undefined {
  const current = secrets.find(({ replacedAt }) => replacedAt === null);
  if (current === undefined) return undefined;
  const valid = secrets.filter((secret) => isValid(secret, now)).toSorted(newestFirst);
  const original = valid.find(
    ({ createdAt, replacedAt }) =>
      createdAt <= recordedAt && (replacedAt === null || (recordedAt < replacedAt && replacedAt <= now)),
  );
  return { single: (isRedelivery ? current : (original ?? current)).secret, all: valid.map(({ secret }) => secret) };
}

/** Returns whether a secret is current or within the overlap after its replacement. */
function isValid({ replacedAt }: SigningSecret, now: Date): boolean {
  return replacedAt === null || now.getTime() < replacedAt.getTime() + ROTATION_OVERLAP_SECONDS * 1000;
}

function newestFirst(one: SigningSecret, other: SigningSecret): number {
  if (one.replacedAt === null) return -1;
  if (other.replacedAt === null) return 1;
  return other.replacedAt.getTime() - one.replacedAt.getTime();
}

/** Creates a signing secret. */
export function newSigningSecret(): string {
  return SIGNING_SECRET_PREFIX + randomBytes(32).toString('base64');
}
