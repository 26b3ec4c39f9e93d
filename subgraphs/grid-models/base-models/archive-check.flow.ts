import { inSlices } from '../../server/in-slices';
import { openArchive } from '../archives/archive.flow';
import { BASE_LIMITS, DIFFERENCE_LIMITS } from '../archives/archive-member.flow';
import { PARSED_BYTES, parseAgain, throwFault } from '../archives/parse-again';
import { type TemporaryFile, temporaryFile } from '../archives/temporary-file';
import type { ModelWarningQueries } from '../difference-models/model-warning.queries';
import type { ModelWarning } from '../difference-models/model-warnings';
import type { CheckedMember } from '../publications/checked-member.flow';
import type { ArchiveFault } from '../publications/publication';
import { checkedMembers } from '../publications/publish.flow';
import { type CimFile, type DifferenceItem, valueCount } from '../rdf/difference-model';
import type { MemberProfiles } from '../rdf/member-profiles';
import { differenceModelReader } from '../rdf/read-difference-model';
import { fullModelReader } from '../rdf/read-full-model';
import type { Finding } from './applied-object';
import { applyDifferences } from './apply-differences';
import type { BaseModelKey } from '../publications/publication-key';
import type { BaseFile, StoredBaseModel } from './base-model';
import type { BaseModelQueries } from './base-model.queries';
import { checkBase } from './base-publication.flow';
import { type ProjectDifferences, projectDifferences } from './project-differences';

/** Result of applying an archive to the base model of its area. */
interface ArchiveCheck {
  /** Null if no base model is published for the cycle of the archive: then only the archive itself is checked. */
  readonly base: Pick<StoredBaseModel, 'publicationYear' | 'period' | 'version'> | null;
  /** Whether the archive was applied to the base model. False without one, of an archive of full models, and of a project that is too large. */
  readonly isApplied: boolean;
  /** Warnings that the publication of the archive would have now. */
  readonly warnings: readonly ModelWarning[];
  /** Attributes and associations of the base model before and after the archive. */
  readonly statementsBefore: number;
  readonly statementsAfter: number;
  /** Number of all findings; the first of them are listed. */
  readonly findingCount: number;
  readonly findings: readonly Finding[];
}

/** Outcome of a check. */
export type CheckOutcome =
  | ({ readonly outcome: 'checked' } & ArchiveCheck)
  | { readonly outcome: 'refused'; readonly faults: readonly ArchiveFault[] };

/** Dependencies of {@link checkArchive} and {@link checkBaseArchive}. */
interface CheckDependencies {
  readonly profiles: MemberProfiles;
  readonly baseModels: BaseModelQueries;
  readonly warnings: ModelWarningQueries;
}

/** Findings that a check lists. */
const MAX_LISTED_FINDINGS = 1_000;

const NOT_APPLIED = { isApplied: false, statementsBefore: 0, statementsAfter: 0, findingCount: 0, findings: [] };

/**
 * Checks an archive as its publication does, and against the base model, and stores nothing. Reads the base model as a stream and holds the
 * differences in memory, so that files which together exceed the limit of one file are not applied.
 */
export async function checkArchive(
  { profiles, baseModels, warnings }: CheckDependencies,
  key: BaseModelKey,
  archive: TemporaryFile,
): Promise<CheckOutcome> {
  const { members, faults } = await checkedMembers(archive, profiles);
  try {
    if (faults.length > 0) return { outcome: 'refused', faults };
    const models = members.map(({ file, header, rdf }) => ({ file, header, sha256: rdf.sha256() }));
    const checked = { outcome: 'checked', warnings: await warnings.ofArchive(models, false) } as const;
    const base = await baseModels.applicable(key);
    const size = members.reduce((sum, { rdf }) => sum + rdf.size, 0);
    if (base === null || size > DIFFERENCE_LIMITS.member)
      return { ...checked, base: base && cycleOf(base), ...NOT_APPLIED };
    const project = await differencesOf(members);
    return { ...checked, base: cycleOf(base), ...(await applied(project, baseModels.archive(base.number))) };
  } finally {
    await Promise.all(members.map(({ rdf }) => rdf.close()));
  }
}

/**
 * Checks an archive of full models as its publication does, and stores nothing. Its findings are empty; its counts are those of the base
 * model that applies now, and of the archive.
 */
export async function checkBaseArchive(
  { profiles, baseModels, warnings }: CheckDependencies,
  key: BaseModelKey,
  archive: TemporaryFile,
): Promise<CheckOutcome> {
  const { files, faults } = await checkBase(archive, profiles);
  if (faults.length > 0) return { outcome: 'refused', faults };
  const base = await baseModels.applicable(key);
  const before = base === null ? [] : await baseModels.files(base.number);
  return {
    outcome: 'checked',
    warnings: await warnings.ofArchive(files, true),
    base: base && cycleOf(base),
    isApplied: false,
    statementsBefore: statementsIn(before),
    statementsAfter: statementsIn(files),
    findingCount: 0,
    findings: [],
  };
}

const statementsIn = (files: readonly BaseFile[]): number => files.reduce((sum, { statements }) => sum + statements, 0);

function cycleOf({ publicationYear, period, version }: StoredBaseModel): NonNullable<ArchiveCheck['base']> {
  return { publicationYear, period, version };
}

const nothing = (): void => undefined;

async function differencesOf(members: readonly CheckedMember[]): Promise<ProjectDifferences> {
  const project = projectDifferences();
  for (const { file, rdf } of members) {
    const reader = differenceModelReader({
      ...{ section: nothing, header: nothing, precondition: nothing, fault: throwFault },
      item: (section, item) => project.add(file, section, item),
    });
    await parseAgain(rdf.chunks(PARSED_BYTES), reader);
  }
  return project;
}

/** Applies differences to the full models in an archive. */
async function applied(
  project: ProjectDifferences,
  archive: AsyncIterable<Buffer>,
): Promise<Omit<ArchiveCheck, 'base' | 'warnings'>> {
  const findings: Finding[] = [];
  let [findingCount, statementsBefore, statementsAfter] = [0, 0, 0];
  const application = applyDifferences(project, {
    item: (_, { statements }) => void (statementsAfter += valueCount(statements)),
    finding(finding) {
      findingCount += 1;
      if (findings.length < MAX_LISTED_FINDINGS) findings.push(finding);
    },
  });
  await readBase(archive, (file, item) => {
    statementsBefore += valueCount(item.statements);
    application.base(file, item);
  });
  await inSlices(application.end());
  return { isApplied: true, statementsBefore, statementsAfter, findingCount, findings };
}

/** Reads the full models of a stored archive, which is a valid one. */
async function readBase(archive: AsyncIterable<Buffer>, item: (file: CimFile, item: DifferenceItem) => void) {
  const copy = await temporaryFile();
  try {
    for await (const bytes of archive) await copy.write(bytes);
    const { members } = await openArchive(copy.handle, BASE_LIMITS);
    for (const { file, bytes } of members) {
      const reader = fullModelReader({ header: nothing, fault: throwFault, item: (each) => item(file, each) });
      await parseAgain(bytes(), reader);
    }
  } finally {
    await copy.close();
  }
}
