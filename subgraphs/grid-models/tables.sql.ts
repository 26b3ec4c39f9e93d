import { AUDIT_COLUMNS } from '../server/audit/audit.repository';
import type { SubgraphTables } from '../server/database/migrate';
import { Publications1790000000001 } from './migrations/0001-publications';
import { Preconditions1790000000002 } from './migrations/0002-preconditions';
import { ObjectOrder1790000000003 } from './migrations/0003-object-order';
import { BaseModels1790000000004 } from './migrations/0004-base-models';
import { BaseUploads1790000000006 } from './migrations/0006-base-uploads';
import { BaseDigests1790000000007 } from './migrations/0007-base-digests';
import { ListedType1790000000008 } from './migrations/0008-listed-type';
import { ListedOrder1790000000009 } from './migrations/0009-listed-order';
import { GridSearchPaths1790000000010 } from './migrations/0010-search-paths';
import { RepeatedUploads1790000000011 } from './migrations/0011-repeated-uploads';
import { ObjectClassCounts1790000000012 } from './migrations/0012-object-class-counts';
import { GridAudit1790000000013 } from './migrations/0013-audit';

/**
 * Grants of the login of `grid-models`. It stages a version and then publishes it once or deletes it with its rows. Triggers reject every
 * insert, update or delete of rows of a published version.
 */
const gridModelRights = (role: string): string => `
  grant select, insert on development_project to ${role};
  grant select, insert, delete on difference_model, model_dependency, content, content_chunk, difference_item, item_statement,
    class_count, model_precondition, object_change, grid_location, project_version, upload to ${role};
  grant select, insert on object_class_count to ${role};
  grant select, insert, delete on base_model, base_file, base_chunk, base_item, base_reference to ${role};
  grant update (version, published_at) on base_model to ${role};
  grant update (project, version, published_at, unplaced_points) on project_version to ${role};
  grant update (project_version, base_model, archive_sha256, expires_at) on upload to ${role};
  grant select, insert (${AUDIT_COLUMNS}) on audit_entry to ${role};
  grant select, insert, update, delete on rate_limit to ${role};`;

/** Migrations of `grid-models`, in order, and the grants of its login. */
export const gridModelTables: SubgraphTables = {
  migrations: [
    Publications1790000000001,
    Preconditions1790000000002,
    ObjectOrder1790000000003,
    BaseModels1790000000004,
    BaseUploads1790000000006,
    BaseDigests1790000000007,
    ListedType1790000000008,
    ListedOrder1790000000009,
    GridSearchPaths1790000000010,
    RepeatedUploads1790000000011,
    ObjectClassCounts1790000000012,
    GridAudit1790000000013,
  ],
  rights: gridModelRights,
};
