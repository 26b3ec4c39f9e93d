import { type JWTVerifyGetKey, createRemoteJWKSet, customFetch } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { RegisterError } from '../../../schema/register-error';
import { isTokenFault } from '../../server/bearer-token';
import { type IssuerDocuments, issuerDocuments } from './issuer-documents';

/** The keys by which suppliers sign tokens. */
export interface IssuerKeys {
  /** Finds the key that a token's header names: AUT001 when the issuer has none such or a short one, SYS002 when it cannot be asked. */
  of(issuer: string): JWTVerifyGetKey;
  close(): void;
}

/** For how long what issuers published is believed, and what a test may want otherwise. */
export interface IssuerKeyOptions {
  readonly production: boolean;
  readonly logger: Logger;
  /** Milliseconds after which an issuer is asked again for everything: 5 minutes. */
  readonly believedFor?: number;
  /** Milliseconds between two questions for a key that was unknown: 5 seconds. */
  readonly cooldown?: number;
}

const BELIEVED_FOR = 5 * 60_000;
const COOLDOWN = 5_000;
const REMEMBERED_ISSUERS = 1_000;

/**
 * Keys by OpenID Connect Discovery: an issuer names the address of its key set. Whoever asks while an answer is under way waits for that
 * one. A key that is unknown is asked for again, so that an issuer can sign with a new one as soon as it has published it.
 */
export function issuerKeys(options: IssuerKeyOptions): IssuerKeys {
  const { production, logger, believedFor = BELIEVED_FOR, cooldown = COOLDOWN } = options;
  const documents = issuerDocuments(production);
  const keySets = new LRUCache<string, Promise<JWTVerifyGetKey>>({ max: REMEMBERED_ISSUERS, ttl: believedFor });
  const keySetOf = (issuer: string): Promise<JWTVerifyGetKey> => {
    const known = keySets.get(issuer);
    if (known) return known;
    const found = discovered(issuer, documents, cooldown);
    keySets.set(issuer, found);
    found.catch(() => keySets.get(issuer) === found && keySets.delete(issuer));
    return found;
  };
  const away = (issuer: string, error: unknown) => {
    logger.warn({ issuer, fault: faultOf(error) }, 'the issuer of tokens cannot be asked for its keys');
    return new RegisterError('SYS002');
  };
  return {
    of: (issuer) => async (header, token) => {
      try {
        const keySet = await keySetOf(issuer);
        const key = await keySet(header, token);
        if (isLongEnough(key)) return key;
        logger.warn({ issuer, fault: 'short-key' }, 'the issuer of tokens signs with an RSA key that is too short');
        throw new RegisterError('AUT001');
      } catch (error) {
        if (error instanceof RegisterError) throw error;
        throw isTokenFault(error) ? new RegisterError('AUT001') : away(issuer, error);
      }
    },
    close: () => documents.close(),
  };
}

async function discovered(
  issuer: string,
  documents: IssuerDocuments,
  cooldownDuration: number,
): Promise<JWTVerifyGetKey> {
  const about = await documents.get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { issuer: named, jwks_uri: jwksUri } = (about ?? {}) as Record<string, unknown>;
  if (named !== issuer || typeof jwksUri !== 'string' || !URL.canParse(jwksUri)) {
    throw Object.assign(new Error('the issuer tells nothing of itself'), { code: 'not-its-metadata' });
  }
  return createRemoteJWKSet(new URL(jwksUri), {
    cooldownDuration,
    cacheMaxAge: Infinity, // the whole issuer is forgotten after a while
    [customFetch]: async (url) => Response.json(await documents.get(url)),
  });
}

/** Bits of an RSA key (RFC 7518, section 3.3). */
const SHORTEST_RSA = 2_048;

/** Keys of curves have one length only. */
function isLongEnough(key: Awaited<ReturnType<JWTVerifyGetKey>>): boolean {
  const algorithm = 'algorithm' in key ? (key.algorithm as { readonly modulusLength?: number }) : {};
  return (algorithm.modulusLength ?? SHORTEST_RSA) >= SHORTEST_RSA;
}

/** What may be logged of a fault: its code, never what an issuer said. */
export function faultOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name); // that of a DOMException is a number which tells nothing
}
