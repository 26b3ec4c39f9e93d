import type { PageContext } from '../page';
import type { VersionKey } from './project-address';
import { found } from './project-reading';

/** Maximum number of referenced objects whose names are read; others are shown by their mRID. */
const NAMED_OBJECTS = 24;

/** Reads the objects to which another object refers, by mRID in lower case. */
export async function readReferenced<Named extends { readonly mRID: string }>(
  references: readonly string[],
  read: (mRIDs: string[]) => Promise<readonly Named[]>,
): Promise<ReadonlyMap<string, Named>> {
  const mRIDs = [...new Set(references)].slice(0, NAMED_OBJECTS);
  const objects = mRIDs.length === 0 ? [] : await read(mRIDs);
  return new Map(objects.map((object) => [object.mRID.toLowerCase(), object]));
}

/** Reads those objects among the referenced ones that a version changes, by mRID in lower case. */
export function readChangedObjects(
  { execute }: Pick<PageContext, 'execute'>,
  key: VersionKey,
  references: readonly string[],
) {
  return readReferenced(references, async (mRIDs) => {
    const { project } = await execute('ReadGridObjectNames', { ...key, mRIDs });
    return found(project?.version).objectsByMRID;
  });
}
