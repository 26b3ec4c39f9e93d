import type { TemporaryFile } from '../archives/temporary-file';
import { type CheckOutcome, checkArchive, checkBaseArchive } from '../base-models/archive-check.flow';
import type { BaseModelQueries } from '../base-models/base-model.queries';
import {
  type BasePublishingDependencies,
  type PublishedBase,
  publishBaseBytes,
  withWarnings,
} from '../base-models/base-publication.flow';
import type { ModelWarning } from '../difference-models/model-warnings';
import type { ArchiveFault, PublishedVersion } from './publication';
import { type PublishingDependencies, publishBytes, publishedOutcome } from './publish.flow';
import type { ArchiveUpload, UploadKey } from './upload.repository';

/**
 * Outcome of an upload that is not read to its end. `gone`: the address is unknown, expired, or used for another archive, or the credentials of
 * its admin have ended. `too-large`: the archive exceeds `maxBytes`. `busy`: the queue is full, or another upload to the address is in progress.
 */
export type Unreceived =
  { readonly outcome: 'gone' | 'busy' } | { readonly outcome: 'too-large'; readonly maxBytes: number };

/** Result of an upload: a version of a project, or a base model, which has no project. */
type PublishedUpload = Pick<PublishedVersion, 'area' | 'publicationYear' | 'period' | 'version' | 'publishedAt'> & {
  readonly projectId: string | null;
};

/** Outcome of an upload. `isNew` is false if the archive repeats the newest publication, which is returned. */
export type UploadOutcome =
  | {
      readonly outcome: 'published';
      readonly isNew: boolean;
      readonly version: PublishedUpload;
      readonly warnings: readonly ModelWarning[];
    }
  | { readonly outcome: 'refused'; readonly faults: readonly ArchiveFault[] }
  | Unreceived;

/** Outcome of a check at an upload address. `gone`: the address is unknown, expired or used, or the credentials of its admin have ended. */
export type UploadCheckOutcome = CheckOutcome | Unreceived;

/** Dependencies of publishing and checking a received archive. */
export interface ReceivedDependencies extends PublishingDependencies, BasePublishingDependencies {
  readonly baseModels: BaseModelQueries;
}

/** Publishes archives of one upload address. */
interface ReceivedArchives {
  /** Returns `gone` if the address permits no publication any more. */
  publish(accountId: string, upload: ArchiveUpload, archive: TemporaryFile): Promise<UploadOutcome | 'gone'>;
  /** Returns what was published at the address, by its internal id. */
  repeated(id: string): Promise<UploadOutcome | undefined>;
}

/** Returns how archives of an address are published: as a version of its project, or as a base model. */
export function publishReceived(
  dependencies: ReceivedDependencies,
  { projectId, ...key }: UploadKey,
): ReceivedArchives {
  if (projectId === null)
    return {
      async publish(accountId, upload, archive) {
        const result = await publishBaseBytes(dependencies, { key, accountId, upload }, archive);
        return result === 'gone' || result.outcome === 'refused' ? result : baseOutcome(result);
      },
      async repeated(id) {
        const base = await dependencies.bases.byId(id);
        return base && baseOutcome(await withWarnings(dependencies, { base, isNew: false }));
      },
    };
  return {
    publish: (accountId, upload, archive) =>
      publishBytes(dependencies, { ...key, projectId, accountId }, { archive, upload }),
    async repeated(id) {
      const version = await dependencies.publications.byId(id);
      return version && publishedOutcome(dependencies, version, false);
    },
  };
}

/** Checks a received archive as its publication does, and stores nothing. */
export function checkReceived(
  dependencies: ReceivedDependencies,
  { projectId, ...key }: UploadKey,
  archive: TemporaryFile,
): Promise<CheckOutcome> {
  return projectId === null ? checkBaseArchive(dependencies, key, archive) : checkArchive(dependencies, key, archive);
}

function baseOutcome({ isNew, base, warnings }: PublishedBase): UploadOutcome {
  const { area, publicationYear, period, version, publishedAt } = base;
  const published = { area, publicationYear, period, projectId: null, version, publishedAt };
  return { outcome: 'published', isNew, version: published, warnings };
}
