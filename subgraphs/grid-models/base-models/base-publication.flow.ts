import { createHash } from 'node:crypto';
import { openArchive } from '../archives/archive.flow';
import { type ArchiveMember, BASE_LIMITS } from '../archives/archive-member.flow';
import { parseAgain, throwFault } from '../archives/parse-again';
import { type TemporaryFile, copyOf } from '../archives/temporary-file';
import type { ModelWarningQueries } from '../difference-models/model-warning.queries';
import type { ModelWarning } from '../difference-models/model-warnings';
import { CHUNK_BYTES } from '../files/content.repository';
import type { ArchiveFault } from '../publications/publication';
import { lengthCheck, readMember } from '../publications/checked-member.flow';
import { type DifferenceModelHeader, type Fault, valueCount } from '../rdf/difference-model';
import type { MemberProfiles } from '../rdf/member-profiles';
import { type FullModelSink, fullModelReader } from '../rdf/read-full-model';
import type { BaseModelKey } from '../publications/publication-key';
import type { DigestedBaseFile, StoredBaseModel } from './base-model';
import type {
  BaseModelRepository,
  BasePublicationRequest,
  BasePublicationResult,
  NumberedItem,
} from './base-model.repository';

/** A published base model with its warnings. `isNew` is false if the archive repeats the newest one, which is returned. */
export interface PublishedBase {
  readonly isNew: boolean;
  readonly base: StoredBaseModel;
  readonly warnings: readonly ModelWarning[];
}

/** Outcome of the publication of a base model. */
export type BasePublicationOutcome =
  | ({ readonly outcome: 'published' } & PublishedBase)
  | { readonly outcome: 'refused'; readonly faults: readonly ArchiveFault[] };

/** Dependencies of {@link publishBase}. */
export interface BasePublishingDependencies {
  readonly bases: BaseModelRepository;
  readonly profiles: MemberProfiles;
  readonly warnings: ModelWarningQueries;
}

/** Publishes the full models of an area in the archive at a path, on behalf of the operator. */
export async function publishBase(
  dependencies: BasePublishingDependencies,
  { accountId, ...key }: BaseModelKey & { readonly accountId: string | null },
  zipPath: string,
): Promise<BasePublicationOutcome> {
  const archive = await copyOf(zipPath, BASE_LIMITS.archive);
  try {
    const outcome = await publishBaseBytes(dependencies, { key, accountId, upload: null }, archive);
    if (outcome === 'gone') throw new Error('a publication without an upload address returned `gone`');
    return outcome;
  } finally {
    await archive.close();
  }
}

/**
 * Publishes a received archive as a base model. First checks all of it, then stages it, then makes it visible with one update. Reads the
 * archive twice as a stream, so that memory does not grow with it. After an error or a crash the former base model applies unchanged, and
 * the clean-up job deletes staged rows. Returns `gone` if its upload address permits no publication any more.
 */
export async function publishBaseBytes(
  { bases, profiles, warnings }: BasePublishingDependencies,
  publication: Omit<BasePublicationRequest, 'archiveSha256'>,
  archive: TemporaryFile,
): Promise<BasePublicationOutcome | 'gone'> {
  const checked = await checkBase(archive, profiles);
  if (checked.faults.length > 0) return { outcome: 'refused', faults: checked.faults };
  const result = await repeatOrStage(bases, { ...publication, archiveSha256: archive.sha256() }, archive, checked);
  return result === 'gone' ? result : { outcome: 'published', ...(await withWarnings({ warnings }, result)) };
}

/** Adds the warnings of a published base model. */
export async function withWarnings(
  { warnings }: Pick<BasePublishingDependencies, 'warnings'>,
  { isNew, base }: Omit<PublishedBase, 'warnings'>,
): Promise<PublishedBase> {
  return { isNew, base, warnings: await (isNew ? warnings.ofNewBase(base.number) : warnings.ofBase(base.number)) };
}

/** The members of the archive of a base model, what those without faults contain, and the faults of the others. */
interface CheckedBase {
  readonly members: readonly ArchiveMember[];
  readonly files: readonly DigestedBaseFile[];
  readonly faults: readonly ArchiveFault[];
}

/** Checks all full models of an archive, and stores nothing. */
export async function checkBase(archive: TemporaryFile, profiles: MemberProfiles): Promise<CheckedBase> {
  const { members, faults } = await openArchive(archive.handle, BASE_LIMITS);
  const files: DigestedBaseFile[] = [];
  const allFaults = [...faults];
  for (const member of members) {
    const checked = await checkFullModel(member, profiles);
    if (Array.isArray(checked)) allFaults.push(...checked);
    else files.push(checked);
  }
  return { members, files, faults: allFaults };
}

async function repeatOrStage(
  bases: BaseModelRepository,
  request: BasePublicationRequest,
  archive: TemporaryFile,
  { members, files }: CheckedBase,
): Promise<BasePublicationResult> {
  const repeated = await bases.repeated(request);
  if (repeated !== undefined) return repeated;
  const staged = await bases.stage(request);
  try {
    for (const file of files) await bases.addFile(staged.number, file);
    for (const member of members) await stageItems(bases, staged.number, member);
    let number = 0;
    for await (const bytes of archive.chunks(CHUNK_BYTES)) await bases.addChunk(staged.number, number++, bytes);
    if ((await request.upload?.isPermitted()) === false) return 'gone';
    return await staged.publish();
  } finally {
    await staged.end();
  }
}

/** Parses a member. Returns what it contains, or its faults. */
async function checkFullModel(
  member: ArchiveMember,
  profiles: MemberProfiles,
): Promise<DigestedBaseFile | ArchiveFault[]> {
  const found: Fault[] = [];
  const checkLengths = lengthCheck(found);
  let header: DifferenceModelHeader | null = null;
  let [items, statements] = [0, 0];
  const digest = createHash('sha256');
  const sink: FullModelSink = {
    header: (fileHeader) => void (header = fileHeader),
    item(item) {
      items += 1;
      statements += valueCount(item.statements);
      checkLengths(item);
    },
    fault: (fault) => void found.push(fault),
  };
  const reader = fullModelReader(sink, { file: member.file, profiles });
  const faults = await readMember(member, reader, found, (bytes) => digest.update(bytes));
  if (faults.length > 0 || header === null) return faults;
  return { file: member.file, header, items, statements, sha256: digest.digest() };
}

/** Items, and characters of their values, in one SQL statement. */
const MAX_BATCH_ITEMS = 1_000;
const MAX_BATCH_CHARACTERS = 512 * 1024;

/** Parses a checked member again and stores its items. */
async function stageItems(bases: BaseModelRepository, base: number, member: ArchiveMember): Promise<void> {
  let batch: NumberedItem[] = [];
  let [number, characters] = [0, 0];
  const reader = fullModelReader({
    header: () => undefined,
    item(item) {
      batch.push({ number: ++number, item });
      for (const { name, value } of item.statements) characters += name.length + value.length;
    },
    fault: throwFault,
  });
  await parseAgain(member.bytes(), reader, {
    isFull: () => batch.length >= MAX_BATCH_ITEMS || characters >= MAX_BATCH_CHARACTERS,
    store() {
      const stored = bases.addItems(base, member.file, batch);
      [batch, characters] = [[], 0];
      return stored;
    },
  });
}
