import { createHash } from 'node:crypto';
import type { ContentKind, ContentRepository } from '../database/content.repository';
import { CHUNK_BYTES } from '../database/content.repository';
import type { StagedModelRepository } from '../database/staged-model.repository';
import { differenceModelJsonWriter } from '../domain/difference-model-json';
import { objectChange } from '../domain/object-changes';
import { differenceModelReader } from '../domain/read-difference-model';
import type { CheckedMember } from './checked-member';
import { compressed } from './compressed';
import { stagedItems } from './staged-items';
import { type StoredBytes, type TemporaryFile, temporaryFile } from './temporary-file';

/** Where what is staged goes. */
export interface StagingPlaces {
  readonly models: StagedModelRepository;
  readonly contents: ContentRepository;
}

/** Stages all of a version: its models with their items, what they do to each object, and the bytes that are served. */
export async function stageVersion(
  places: StagingPlaces,
  version: string,
  members: readonly CheckedMember[],
  archive: StoredBytes,
): Promise<void> {
  const models: number[] = [];
  for (const member of members) models.push(await stageModel(places, version, member));
  await stageObjectChanges(places.models, version, models);
  await stageLocations(places.models, version, models[members.findIndex(({ file }) => file === 'GL')]);
  await stageContent(places.contents, version, { member: 'archive', view: 'zip', encoding: 'identity' }, archive);
}

/** Stages a member with all its views; answers the number of the model. */
async function stageModel(
  { models, contents }: StagingPlaces,
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

/** Bytes of the file that are read before other work gets its turn, and before a batch can end: 4,000 of the shortest statements. */
const READ_AT_ONCE = 16 * 1024;

/** Reads a file again, that has no fault, into rows and into its JSON view. A batch is stored while the next one is read. */
async function stageItems(
  models: StagedModelRepository,
  model: number,
  { file, header, rdf }: CheckedMember,
  json: TemporaryFile,
): Promise<void> {
  const writer = differenceModelJsonWriter();
  const items = stagedItems();
  let text = writer.start(header);
  const reader = differenceModelReader(
    {
      header: () => undefined,
      section: (section) => void (text += writer.section(section)),
      item(section, item) {
        items.add(section, item);
        text += writer.item(item);
      },
      fault: ({ message }) => {
        throw new Error(`a file without a fault has one when it is read again: ${message}`);
      },
    },
    file,
  );
  let storing: Promise<void> = Promise.resolve();
  const store = async () => {
    await storing;
    storing = models.addItems(model, items.take());
    storing.catch(() => undefined); // told by whoever waits for it
    await json.write(Buffer.from(text));
    text = '';
  };
  for await (const bytes of rdf.chunks(READ_AT_ONCE)) {
    reader.write(bytes);
    if (items.isFull()) await store();
  }
  reader.end();
  text += writer.end();
  await store();
  await storing;
  await models.addClassCounts(model, items.classCounts());
}

/** Merges what the models say of each object. */
async function stageObjectChanges(models: StagedModelRepository, version: string, numbers: number[]): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = await models.objectsAfter(numbers, after);
    if (page.objects.length > 0) await models.addObjectChanges(version, page.objects.map(objectChange));
    after = page.next;
  }
}

/** Finds the locations that the GL file says something of, when it is known what becomes of each object. */
async function stageLocations(
  models: StagedModelRepository,
  version: string,
  model: number | undefined,
): Promise<void> {
  let after: string | null = model === undefined ? null : '';
  while (model !== undefined && after !== null) after = await models.addLocations(version, model, after);
}

/** Stages a view as it is, and compressed where that makes it smaller. */
async function stageView(
  contents: ContentRepository,
  version: string,
  kind: Pick<ContentKind, 'member' | 'view'>,
  bytes: StoredBytes,
): Promise<void> {
  await stageContent(contents, version, { ...kind, encoding: 'identity' }, bytes);
  const gzip = await compressed(bytes);
  try {
    if (gzip.size < bytes.size) await stageContent(contents, version, { ...kind, encoding: 'gzip' }, gzip);
  } finally {
    await gzip.close();
  }
}

/** Stages bytes as they are now, if they are still those of their size and SHA-256. */
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
    throw new Error(`${kind.member} as ${kind.view} is not what it was when its size and its SHA-256 were taken`);
}
