import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import type { UploadAddress, UploadRepository } from '../database/upload.repository';
import type { PublicationPlace } from '../domain/publication-place';
import { LONGEST_ARCHIVE } from './archive';
import { type PublicationOutcome, type PublishingParts, publishBytes } from './publish';
import type { PublishingTurns } from './publishing-turns';
import { type TemporaryFile, temporaryFile } from './temporary-file';

/** A one-time address for an archive. */
export interface PreparedUpload {
  /** A path: `/grid-modelling/uploads/<token>`. */
  readonly address: string;
  readonly expiresAt: Date;
}

/**
 * What becomes of an archive that is uploaded: `gone` when its address is unknown, expired, or used for another archive; `too-large`
 * beyond 192 MiB; `busy` when so many are being published that this one would wait for long, or another is arriving at its address.
 */
export type UploadOutcome = PublicationOutcome | { readonly outcome: 'gone' | 'too-large' | 'busy' };

/** Uploads of archives by admins. */
export interface Uploads {
  /** An address at which one archive may be published within ten minutes; a refused one may be mended and sent again. */
  prepare(place: PublicationPlace, accountId: string): Promise<PreparedUpload>;
  /** Takes the archive that is sent to an address, which is a path. It is not read to its end when that is known to be of no use. */
  publishAt(address: string, archive: Readable): Promise<UploadOutcome>;
}

/** What uploads work with. */
export interface UploadParts extends PublishingParts {
  readonly uploads: UploadRepository;
  readonly turns: PublishingTurns;
  readonly key: Buffer;
}

const ADDRESS = /^\/grid-modelling\/uploads\/([\w-]{43})$/;

/** Uploads at addresses of this key. */
export function uploadsOf(parts: UploadParts): Uploads {
  const hash: KeyedHash = keyedHash(parts.key, 'upload-address');
  /** Tokens of the addresses at which an archive is arriving: a second one would take a place from others. */
  const arriving = new Set<string>();
  return {
    async prepare(place, accountId) {
      const token = randomBytes(32).toString('base64url');
      const expiresAt = await parts.uploads.add(hash(token), place, accountId);
      return { address: `/grid-modelling/uploads/${token}`, expiresAt };
    },
    async publishAt(address, archive) {
      archive.on('error', toldToItsReader);
      const token = ADDRESS.exec(address)?.[1];
      if (token === undefined) return { outcome: 'gone' };
      const leave = parts.turns.enter();
      if (leave === undefined) return { outcome: 'busy' };
      try {
        const tokenHash = hash(token);
        const found = await parts.uploads.byToken(tokenHash);
        if (found === undefined || (found.isExpired && found.used === null)) return { outcome: 'gone' };
        if (arriving.has(token)) return { outcome: 'busy' };
        arriving.add(token);
        const file = await received(archive).finally(() => arriving.delete(token));
        if (file === undefined) return { outcome: 'too-large' };
        return await parts.turns.take(() => publishReceived(parts, tokenHash, found, file)).finally(() => file.close());
      } finally {
        leave();
      }
    },
  };
}

/** What breaks before the archive is read is thrown when it is. */
const toldToItsReader = (): void => undefined;

/** What comes, if it is short enough to be an archive; who has it closes it. */
async function received(archive: Readable): Promise<TemporaryFile | undefined> {
  const file = await temporaryFile();
  try {
    // Whoever sends it is answered in any case: its stream stays open.
    for await (const chunk of archive.iterator({ destroyOnReturn: false })) {
      if (file.size + (chunk as Buffer).length <= LONGEST_ARCHIVE) await file.write(chunk as Buffer);
      else {
        await file.close();
        return undefined;
      }
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function publishReceived(
  parts: UploadParts,
  tokenHash: Buffer,
  { publication, used }: UploadAddress,
  file: TemporaryFile,
): Promise<UploadOutcome> {
  if (used !== null) return repeatOf(parts, used, file);
  const outcome = await publishBytes(parts, publication, { archive: file, upload: tokenHash });
  if (outcome !== 'used') return outcome;
  const now = await parts.uploads.byToken(tokenHash);
  return now?.used ? repeatOf(parts, now.used, file) : { outcome: 'gone' };
}

/** The same archive again is answered by what it has published; another one comes too late. */
async function repeatOf(
  { publications }: UploadParts,
  used: NonNullable<UploadAddress['used']>,
  file: TemporaryFile,
): Promise<UploadOutcome> {
  const version = used.archiveSha256.equals(file.sha256()) ? await publications.byId(used.projectVersion) : undefined;
  return version === undefined ? { outcome: 'gone' } : { outcome: 'published', isNew: false, version };
}
