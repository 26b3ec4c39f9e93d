import { createHash } from 'node:crypto';
import type { ContentKind, ContentRepository } from '../files/content.repository';
import { CHUNK_BYTES } from '../files/content.repository';
import type { StagedModelRepository } from './staged-model.repository';
import { differenceModelJsonWriter } from '../rdf/difference-model-json';
import { objectChange } from '../changes/object-changes';
import { proposedClass } from '../changes/proposed-class';
import { UNKNOWN_CLASS } from '../rdf/difference-model';
import { differenceModelReader } from '../rdf/read-difference-model';
import type { CheckedMember } from './checked-member.flow';
import { stagedItems } from './staged-items.flow';
import { PARSED_BYTES, parseAgain, throwFault } from '../archives/parse-again';
import { type StoredBytes, type TemporaryFile, gzipped, temporaryFile } from '../archives/temporary-file';

/** Repositories that staging writes to. */
export interface StagingRepositories {
  readonly models: StagedModelRepository;
  readonly contents: ContentRepository;
}

/** The files of a version to stage. */
interface VersionFiles {
  readonly members: readonly CheckedMember[];
  readonly archive: StoredBytes;
  /** Short key of the base model of its cycle; null if none is published. */
  readonly base: number | null;
}

/** Stages a version: its models with their items, the change of each object, the locations, and the bytes of every representation. */
export async function stageVersion(
  repositories: StagingRepositories,
  version: string,
  { members, archive, base }: VersionFiles,
): Promise<void> {
  const models: number[] = [];
  for (const member of members) models.push(await stageModel(repositories, version, member));
  await stageObjectChanges(repositories.models, version, base, models);
  await stageLocations(repositories.models, version, base, models[members.findIndex(({ file }) => file === 'GL')]);
  await stageContent(repositories.contents, version, { member: 'archive', view: 'zip', encoding: 'identity' }, archive);
}

/** Stages a member with all its views. Returns the number of the model. */
async function stageModel(
  { models, contents }: StagingRepositories,
  version: string,
  member: CheckedMember,
): Promise<number> {
  const json = await temporaryFile();
  try {
    const model = await models.addModel(version, member);
    await stageItems(models, model, member, json);
    await stageView(contents, version, { member: member.file, view: 'rdf' }, member.rdf);
    await stageView(contents, version, { member: member.file, view: 'json' }, json);
    return model;
  } finally {
    await json.close();
  }
}

/** Parses a checked file again and writes its rows and its JSON view. */
async function stageItems(
  models: StagedModelRepository,
  model: number,
  { header, rdf }: CheckedMember,
  json: TemporaryFile,
): Promise<void> {
  const writer = differenceModelJsonWriter();
  const items = stagedItems();
  let text = writer.start(header);
  const reader = differenceModelReader({
    header: () => undefined,
    section: (section) => void (text += writer.section(section)),
    item(section, item) {
      items.add(section, item);
      text += writer.item(item);
    },
    precondition: (item) => items.addPrecondition(item),
    fault: throwFault,
  });
  await parseAgain(rdf.chunks(PARSED_BYTES), reader, {
    isFull: () => items.isFull(),
    async store() {
      const { items: batch, preconditions } = items.take();
      const written = Buffer.from(text);
      text = '';
      await json.write(written);
      await models.addItems(model, batch);
      await models.addPreconditions(model, preconditions);
    },
  });
  await json.write(Buffer.from(writer.end()));
  await models.addClassCounts(model, items.classCounts());
}

/** Merges the items of each object over the models into its change, and counts the changes by class. */
async function stageObjectChanges(
  models: StagedModelRepository,
  version: string,
  base: number | null,
  numbers: readonly number[],
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = await models.objectsAfter(numbers, after);
    if (page.objects.length > 0) {
      const changes = page.objects.map(({ items, names }) => {
        const change = objectChange(items);
        const proposedType = change.type === UNKNOWN_CLASS ? proposedClass(names.map((name) => ({ name }))) : null;
        return { ...change, proposedType };
      });
      await models.addObjectChanges(version, base, changes);
    }
    after = page.next;
  }
  await models.addObjectClassCounts(version);
}

/** Stores the locations that the GL file describes. Needs the staged changes of objects. */
async function stageLocations(
  models: StagedModelRepository,
  version: string,
  base: number | null,
  model: number | undefined,
): Promise<void> {
  let after: string | null = model === undefined ? null : '';
  while (model !== undefined && after !== null) after = await models.addLocations(version, base, model, after);
}

/** Stages a view uncompressed, and also compressed if that is smaller. */
async function stageView(
  contents: ContentRepository,
  version: string,
  kind: Pick<ContentKind, 'member' | 'view'>,
  bytes: StoredBytes,
): Promise<void> {
  await stageContent(contents, version, { ...kind, encoding: 'identity' }, bytes);
  const gzip = await gzipped(bytes);
  try {
    if (gzip.size < bytes.size) await stageContent(contents, version, { ...kind, encoding: 'gzip' }, gzip);
  } finally {
    await gzip.close();
  }
}

/** Stages bytes in chunks. Throws if they no longer match their size and SHA-256. */
async function stageContent(
  contents: ContentRepository,
  version: string,
  kind: Pick<ContentKind, 'member' | 'view' | 'encoding'>,
  bytes: StoredBytes,
): Promise<void> {
  const content = await contents.add(version, { ...kind, size: bytes.size, sha256: bytes.sha256() });
  const hash = createHash('sha256');
  let number = 0;
  let size = 0;
  for await (const chunk of bytes.chunks(CHUNK_BYTES)) {
    hash.update(chunk);
    size += chunk.length;
    await contents.addChunk(content, { number: number++, bytes: chunk });
  }
  if (size !== bytes.size || !hash.digest().equals(bytes.sha256()))
    throw new Error(`${kind.member} as ${kind.view} has changed since its size and SHA-256 were computed`);
}
