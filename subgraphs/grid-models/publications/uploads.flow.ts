import type { Readable } from 'node:stream';
import { type KeyedHash, keyedHash } from '../../server/keyed-hash';
import type { ArchiveUpload, UploadAddress, UploadKey, UploadRepository } from './upload.repository';
import { type UploadingAccount, uploadTokens } from './upload-tokens';
import type { UploadingAccountQueries } from './uploading-account.client';
import { BASE_LIMITS, DIFFERENCE_LIMITS } from '../archives/archive-member.flow';
import type { PublicationQueue } from './publication-queue';
import { type TemporaryFile, temporaryFile } from '../archives/temporary-file';
import {
  type ReceivedDependencies,
  type Unreceived,
  type UploadCheckOutcome,
  type UploadOutcome,
  checkReceived,
  publishReceived,
} from './received-archive.flow';

/** A one-time address for an archive. */
export interface PreparedUpload {
  /** A path: `/grid-modelling/uploads/<token>`. */
  readonly address: string;
  readonly expiresAt: Date;
}

/** Uploads of archives by admins. */
export interface Uploads {
  /**
   * Returns an address at which one archive can be published. The first upload must start within ten minutes, each further one within two
   * hours of the one before, and all within a day, while the account is active and its bearer tokens have the same series. A rejected archive
   * may be corrected and sent again.
   */
  prepare(key: UploadKey, account: UploadingAccount): Promise<PreparedUpload>;
  /** Receives and publishes an archive at an address, which is a path. Stops reading as soon as the outcome is certain. */
  publishAt(address: string, archive: Readable): Promise<UploadOutcome>;
  /** Receives an archive at an address and checks what its publication would do. Publishes nothing; the address stays valid. */
  checkAt(address: string, archive: Readable): Promise<UploadCheckOutcome>;
}

/** Repositories, accounts, queue and key that uploads use. */
interface UploadDependencies extends ReceivedDependencies {
  readonly uploads: UploadRepository;
  readonly accounts: UploadingAccountQueries;
  readonly queue: PublicationQueue;
  readonly key: Buffer;
}

const ADDRESS = /^\/grid-modelling\/uploads\/([\w-]{43})$/;

/** Creates uploads. Their addresses are valid for `dependencies.key` only. */
export function uploadsOf(dependencies: UploadDependencies): Uploads {
  const hash: KeyedHash = keyedHash(dependencies.key, 'upload-address');
  const tokens = uploadTokens(dependencies.key);
  /** Tokens of uploads in progress. A second upload to the same address would occupy another place of the queue. */
  const arriving = new Set<string>();
  const receive = async <Outcome>(
    address: string,
    archive: Readable,
    work: (upload: ArchiveUpload, found: UploadAddress, file: TemporaryFile) => Promise<Outcome>,
  ): Promise<Outcome | Unreceived> => {
    archive.on('error', ignoreEarlyError);
    const token = ADDRESS.exec(address)?.[1];
    if (token === undefined) return { outcome: 'gone' };
    const tokenHash = hash(token);
    const found = await dependencies.uploads.byToken(tokenHash);
    if (found === undefined || (found.isExpired && found.used === null)) return { outcome: 'gone' };
    const isPermitted = async () => {
      const tokenSeries = await dependencies.accounts.tokenSeries(found.accountId);
      return tokenSeries !== undefined && tokens.isOf({ accountId: found.accountId, tokenSeries }, token);
    };
    if (!(await isPermitted())) return { outcome: 'gone' };
    // Requests to other addresses reserve no place: they need no credential.
    const release = dependencies.queue.reserve();
    if (release === undefined) return { outcome: 'busy' };
    try {
      await dependencies.uploads.extend(tokenHash);
      if (arriving.has(token)) return { outcome: 'busy' };
      arriving.add(token);
      const maxBytes = (found.key.projectId === null ? BASE_LIMITS : DIFFERENCE_LIMITS).archive;
      const file = await received(archive, maxBytes).finally(() => arriving.delete(token));
      if (file === undefined) return { outcome: 'too-large', maxBytes };
      return await dependencies.queue
        .run(() => work({ tokenHash, isPermitted }, found, file))
        .finally(() => file.close());
    } finally {
      release();
    }
  };
  return {
    async prepare(key, account) {
      const token = tokens.issue(account);
      const expiresAt = await dependencies.uploads.add(hash(token), key, account.accountId);
      return { address: `/grid-modelling/uploads/${token}`, expiresAt };
    },
    publishAt: (address, archive) =>
      receive(address, archive, (upload, found, file) => publishAtAddress(dependencies, upload, found, file)),
    checkAt: (address, archive) =>
      receive<UploadCheckOutcome>(address, archive, async (_, { key, used }, file) =>
        used === null ? checkReceived(dependencies, key, file) : { outcome: 'gone' },
      ),
  };
}

/** Publishes an archive once. The same archive again returns what it published; another archive at a used address is `gone`. */
async function publishAtAddress(
  dependencies: UploadDependencies,
  upload: ArchiveUpload,
  { key, accountId, used }: UploadAddress,
  file: TemporaryFile,
): Promise<UploadOutcome> {
  const archives = publishReceived(dependencies, key);
  const repeatOf = async (earlier: UploadAddress['used']): Promise<UploadOutcome> =>
    (earlier?.archiveSha256.equals(file.sha256()) ? await archives.repeated(earlier.id) : undefined) ?? {
      outcome: 'gone',
    };
  if (used !== null) return repeatOf(used);
  const outcome = await archives.publish(accountId, upload, file);
  if (outcome !== 'gone') return outcome;
  return repeatOf((await dependencies.uploads.byToken(upload.tokenHash))?.used ?? null);
}

/** Without a listener an early stream error would end the process. Reading the stream throws it again. */
const ignoreEarlyError = (): void => undefined;

/** Copies an upload to a temporary file, which the caller closes. Returns undefined if it exceeds the size limit. */
async function received(archive: Readable, maxBytes: number): Promise<TemporaryFile | undefined> {
  const file = await temporaryFile();
  try {
    // Leaves the request stream open, so that the client receives a response.
    for await (const chunk of archive.iterator({ destroyOnReturn: false })) {
      if (file.size + (chunk as Buffer).length <= maxBytes) await file.write(chunk as Buffer);
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
