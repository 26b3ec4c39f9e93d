import { type FileHandle, open } from 'node:fs/promises';
import type { PublicationRepository, Settlement, Settling } from '../database/publication.repository';
import type { PublicationPlace } from '../domain/publication-place';
import { LONGEST_ARCHIVE, openArchive } from './archive';
import { type CheckedMember, checkMember } from './checked-member';
import { type StagingPlaces, stageVersion } from './stage';
import { type StoredBytes, type TemporaryFile, chunksOf, temporaryFile } from './temporary-file';

/** What is published: who does it, and where. */
export interface Publication extends PublicationPlace {
  /** The admin who uploads it; null for a command of the operator. */
  readonly accountId: string | null;
}

/** A version as it stands when it is published. */
export interface PublishedVersion extends PublicationPlace {
  /** Internal id of the version. */
  readonly id: string;
  readonly version: number;
  readonly publishedAt: Date;
  /** The archive as it was published; SHA-256 in hexadecimal digits. */
  readonly archive: { readonly name: string; readonly size: number; readonly sha256: string };
}

/** A reason why an archive is not published; without a file it concerns the archive. */
export interface ArchiveFault {
  /** The member as it is named in the archive: `EQ.xml`. */
  readonly file: string | null;
  /** From 1. */
  readonly line: number | null;
  readonly message: string;
}

/** What becomes of an archive; the newest version with the same members is the answer to a repeat (`isNew` false). */
export type PublicationOutcome =
  | { readonly outcome: 'published'; readonly isNew: boolean; readonly version: PublishedVersion }
  | { readonly outcome: 'refused'; readonly faults: readonly ArchiveFault[] };

/** What publishing works with. */
export interface PublishingParts extends StagingPlaces {
  readonly publications: PublicationRepository;
}

/**
 * Publishes the archive in a file: it is checked whole before anything is written, then staged, then made visible at once. Whatever goes
 * wrong or is killed in between leaves nothing that can be seen, and nothing that stays.
 */
export async function publishArchive(
  parts: PublishingParts,
  publication: Publication,
  zipPath: string,
): Promise<PublicationOutcome> {
  const archive = await copyOf(zipPath);
  try {
    const outcome = await publishBytes(parts, publication, { archive, upload: null });
    if (outcome === 'used') throw new Error('a publication without an upload has used one');
    return outcome;
  } finally {
    await archive.close();
  }
}

const COPIED_AT_ONCE = 1024 * 1024;

/** What a file holds now, as far as it can be an archive: it is read several times, and somebody may write to it meanwhile. */
async function copyOf(path: string): Promise<TemporaryFile> {
  const copy = await temporaryFile();
  let original: FileHandle | undefined;
  try {
    original = await open(path, 'r');
    for await (const bytes of chunksOf(original, COPIED_AT_ONCE)) {
      await copy.write(bytes);
      if (copy.size > LONGEST_ARCHIVE) break;
    }
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  } finally {
    await original?.close();
  }
}

/** An archive that has come, and the hash of its address if it was uploaded to one. */
export interface ReceivedArchive {
  readonly archive: TemporaryFile;
  readonly upload: Buffer | null;
}

/** The same for an archive that nobody else writes to; `used` when its upload address has served for another one meanwhile. */
export async function publishBytes(
  parts: PublishingParts,
  publication: Publication,
  { archive, upload }: ReceivedArchive,
): Promise<PublicationOutcome | 'used'> {
  const { members, faults } = await openArchive(archive.handle);
  const checked: CheckedMember[] = [];
  const reasons = [...faults];
  try {
    for (const member of members) {
      const found = await checkMember(member);
      if (Array.isArray(found)) reasons.push(...found);
      else checked.push(found);
    }
    if (reasons.length > 0) return { outcome: 'refused', faults: reasons };
    const digests = { archive: archive.sha256(), members: checked.map(({ rdf }) => rdf.sha256()) };
    return outcomeOf(await settle(parts, { publication, digests, upload }, checked, archive));
  } finally {
    await Promise.all(checked.map(({ rdf }) => rdf.close()));
  }
}

async function settle(
  { publications, ...places }: PublishingParts,
  settling: Settling,
  members: readonly CheckedMember[],
  archive: StoredBytes,
): Promise<Settlement> {
  const repeated = await publications.repeated(settling);
  if (repeated !== undefined) return repeated;
  const staging = await publications.stage(settling.publication.accountId, settling.digests.archive);
  try {
    await stageVersion(places, staging.id, members, archive);
    return await staging.publish(settling);
  } finally {
    await staging.end();
  }
}

const outcomeOf = (settlement: Settlement): PublicationOutcome | 'used' =>
  settlement === 'used' ? settlement : { outcome: 'published', ...settlement };
