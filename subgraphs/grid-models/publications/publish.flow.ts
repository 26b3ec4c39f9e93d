import type { PublicationRepository, PublicationResult, PublicationRequest } from './publication.repository';
import { openArchive } from '../archives/archive.flow';
import { DIFFERENCE_LIMITS } from '../archives/archive-member.flow';
import type { BaseModelQueries } from '../base-models/base-model.queries';
import type { ModelWarning } from '../difference-models/model-warnings';
import type { ModelWarningQueries } from '../difference-models/model-warning.queries';
import type { MemberProfiles } from '../rdf/member-profiles';
import { type CheckedMember, checkMember } from './checked-member.flow';
import { type StagingRepositories, stageVersion } from './stage.flow';
import { type StoredBytes, type TemporaryFile, copyOf } from '../archives/temporary-file';
import type { ArchiveFault, Publication, PublishedVersion } from './publication';
import type { ArchiveUpload } from './upload.repository';

/** A published version with its warnings. `isNew` is false if the archive repeats the newest version, which is returned. */
interface PublishedOutcome {
  readonly isNew: boolean;
  readonly version: PublishedVersion;
  readonly warnings: readonly ModelWarning[];
}

/** Outcome of a publication. */
export type PublicationOutcome =
  | ({ readonly outcome: 'published' } & PublishedOutcome)
  | { readonly outcome: 'refused'; readonly faults: readonly ArchiveFault[] };

/** Repositories that publishing writes to. */
export interface PublishingDependencies extends StagingRepositories {
  readonly publications: PublicationRepository;
  readonly baseModels: BaseModelQueries;
  readonly profiles: MemberProfiles;
  readonly warnings: ModelWarningQueries;
}

/**
 * Publishes the archive in a file. First checks it completely, then stages it, then makes it visible with one update. After an error or a
 * crash nothing is visible, and the clean-up job deletes staged rows.
 */
export async function publishArchive(
  dependencies: PublishingDependencies,
  publication: Publication,
  zipPath: string,
): Promise<PublicationOutcome> {
  const archive = await copyOf(zipPath, DIFFERENCE_LIMITS.archive);
  try {
    const outcome = await publishBytes(dependencies, publication, { archive, upload: null });
    if (outcome === 'gone') throw new Error('a publication without an upload address returned `gone`');
    return outcome;
  } finally {
    await archive.close();
  }
}

/** A received archive, and its upload address, or null. */
interface ReceivedArchive {
  readonly archive: TemporaryFile;
  readonly upload: ArchiveUpload | null;
}

/** Publishes a received archive. Returns `gone` if its upload address permits no publication any more. */
export async function publishBytes(
  dependencies: PublishingDependencies,
  publication: Publication,
  { archive, upload }: ReceivedArchive,
): Promise<PublicationOutcome | 'gone'> {
  const { members: checked, faults } = await checkedMembers(archive, dependencies.profiles);
  try {
    if (faults.length > 0) return { outcome: 'refused', faults };
    const digests = { archive: archive.sha256(), members: checked.map(({ rdf }) => rdf.sha256()) };
    const result = await repeatOrStage(dependencies, { publication, digests, upload }, checked, archive);
    return result === 'gone' ? result : await publishedOutcome(dependencies, result.version, result.isNew);
  } finally {
    await Promise.all(checked.map(({ rdf }) => rdf.close()));
  }
}

/** Checks all members of an archive. Returns those without faults, whose files the caller closes, and the faults of the others. */
export async function checkedMembers(
  archive: TemporaryFile,
  profiles: MemberProfiles,
): Promise<{ readonly members: readonly CheckedMember[]; readonly faults: readonly ArchiveFault[] }> {
  const { members, faults } = await openArchive(archive.handle);
  const checked: CheckedMember[] = [];
  const allFaults = [...faults];
  try {
    for (const member of members) {
      const found = await checkMember(member, profiles);
      if (Array.isArray(found)) allFaults.push(...found);
      else checked.push(found);
    }
    return { members: checked, faults: allFaults };
  } catch (error) {
    await Promise.all(checked.map(({ rdf }) => rdf.close()));
    throw error;
  }
}

/** Stages again whenever a base model was published meanwhile: the stored changes depend on the one that applies at the publication. */
async function repeatOrStage(
  { publications, baseModels, ...repositories }: PublishingDependencies,
  request: PublicationRequest,
  members: readonly CheckedMember[],
  archive: StoredBytes,
): Promise<PublicationResult> {
  const repeated = await publications.repeated(request);
  if (repeated !== undefined) return repeated;
  for (;;) {
    const staging = await publications.stage(request.publication.accountId, request.digests.archive);
    try {
      const base = (await baseModels.applicable(request.publication))?.number ?? null;
      await stageVersion(repositories, staging.id, { members, archive, base });
      if ((await request.upload?.isPermitted()) === false) return 'gone';
      const result = await staging.publish(request, base);
      if (result !== 'restage') return result;
    } finally {
      await staging.end();
    }
  }
}

/** Adds the warnings of a published version to its outcome. */
export async function publishedOutcome(
  { warnings }: Pick<PublishingDependencies, 'warnings'>,
  version: PublishedVersion,
  isNew: boolean,
): Promise<{ readonly outcome: 'published' } & PublishedOutcome> {
  const found = await (isNew ? warnings.ofNewVersion(version.id) : warnings.ofVersion(version.id));
  return { outcome: 'published', isNew, version, warnings: found };
}
