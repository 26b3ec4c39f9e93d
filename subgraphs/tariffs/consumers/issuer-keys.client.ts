import { type JWTVerifyGetKey, createRemoteJWKSet, customFetch } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { RegisterError } from '../../../schema/register-error';
import { isInvalidToken } from '../../server/callers/bearer-token';
import { type IssuerRequests, IssuerUnavailable, issuerRequests } from '../../server/outgoing/issuer-requests';

/** The public keys of token issuers. */
export interface IssuerKeys {
  /** Resolves the key that a token's header names. AUT001 if the issuer has no such key or a short one, SYS002 if its keys are unavailable. */
  of(issuer: string): JWTVerifyGetKey;
  close(): void;
}

/** Options of {@link issuerKeys}; tests shorten the times. */
interface IssuerKeyOptions {
  readonly production: boolean;
  readonly logger: Logger;
  /** Lifetime of cached metadata and keys; default 5 minutes. */
  readonly cacheTtlMs?: number;
  /** Minimum time between two requests for an unknown key; default 5 seconds. */
  readonly cooldownMs?: number;
}

const CACHE_TTL_MS = 5 * 60_000;
const COOLDOWN_MS = 5_000;
const ISSUER_CACHE_SIZE = 1_000;
/** Timeout of a request; a token may require two. */
const TIMEOUT_MS = 3_000;

/**
 * Finds keys by OpenID Connect Discovery: the metadata of an issuer names the URL of its key set. Concurrent calls share a request. An
 * unknown key causes another request, so that an issuer can use a new key as soon as it has published it.
 */
export function issuerKeys(options: IssuerKeyOptions): IssuerKeys {
  const { production, logger, cacheTtlMs = CACHE_TTL_MS, cooldownMs = COOLDOWN_MS } = options;
  const requests = issuerRequests({ production, timeoutMs: TIMEOUT_MS });
  const keySets = new LRUCache<string, Promise<JWTVerifyGetKey>>({ max: ISSUER_CACHE_SIZE, ttl: cacheTtlMs });
  const keySetOf = (issuer: string): Promise<JWTVerifyGetKey> => {
    const cached = keySets.get(issuer);
    if (cached) return cached;
    const keySet = discoverKeySet(issuer, requests, cooldownMs);
    keySets.set(issuer, keySet);
    keySet.catch(() => keySets.get(issuer) === keySet && keySets.delete(issuer));
    return keySet;
  };
  const unavailable = (issuer: string, error: unknown) => {
    logger.warn({ issuer, fault: errorCodeOf(error) }, 'issuer keys unavailable');
    return new RegisterError('SYS002');
  };
  return {
    of: (issuer) => async (header, token) => {
      try {
        const keySet = await keySetOf(issuer);
        const key = await keySet(header, token);
        if (isLongEnough(key)) return key;
        logger.warn({ issuer, fault: 'short-key' }, 'issuer key rejected');
        throw new RegisterError('AUT001');
      } catch (error) {
        if (error instanceof RegisterError) throw error;
        throw isInvalidToken(error) ? new RegisterError('AUT001') : unavailable(issuer, error);
      }
    },
    close: () => requests.close(),
  };
}

async function discoverKeySet(
  issuer: string,
  requests: IssuerRequests,
  cooldownDuration: number,
): Promise<JWTVerifyGetKey> {
  const metadata = await documentAt(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, requests);
  const { issuer: named, jwks_uri: jwksUri } = ((await metadata.json()) ?? {}) as Record<string, unknown>;
  if (named !== issuer || typeof jwksUri !== 'string' || !URL.canParse(jwksUri)) {
    throw new IssuerUnavailable('not-its-metadata');
  }
  return createRemoteJWKSet(new URL(jwksUri), {
    cooldownDuration,
    cacheMaxAge: Infinity, // the cache of issuers expires key sets
    [customFetch]: (url) => documentAt(url, requests),
  });
}

async function documentAt(url: string, requests: IssuerRequests): Promise<Response> {
  const response = await requests.send(url, { headers: { accept: 'application/json, application/jwk-set+json' } });
  if (response.status !== 200) throw new IssuerUnavailable(`status-${response.status}`);
  return response;
}

/** Minimum size of an RSA key (RFC 7518, section 3.3). */
const MIN_RSA_BITS = 2_048;

/** Checks RSA keys; the size of other keys follows from their algorithm. */
function isLongEnough(key: Awaited<ReturnType<JWTVerifyGetKey>>): boolean {
  const algorithm = 'algorithm' in key ? (key.algorithm as { readonly modulusLength?: number }) : {};
  return (algorithm.modulusLength ?? MIN_RSA_BITS) >= MIN_RSA_BITS;
}

/** Returns what the log may contain of an error: its code or name, never text of the issuer. */
export function errorCodeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name); // the code of a DOMException is a number
}
