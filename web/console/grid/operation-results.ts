import type { CimFile, ObjectChangeKind, Operations } from '../../../schema/generated/operations';

export type { CimFile, ObjectChangeKind };

type ResultOf<Name extends keyof Operations> = Operations[Name]['result'];
type ProjectOf<
  Name extends
    | 'ReadGridProject'
    | 'ReadGridVersion'
    | 'ReadGridLocations'
    | 'ReadGridObject'
    | 'ReadGridObjectAfter'
    | 'ReadGridFit'
    | 'ReadGridComparison',
> = NonNullable<ResultOf<Name>['project']>;

/** In the order of the pages. */
export const OBJECT_CHANGE_KINDS = ['ADDED', 'REMOVED', 'CHANGED'] as const satisfies readonly ObjectChangeKind[];

/** In the order of the archive. */
export const CIM_FILES = ['EQ_XML', 'SC_XML', 'GL_XML'] as const satisfies readonly CimFile[];

/** A development project of the list. */
export type ListedProject = ResultOf<'ReadGridProjects'>['projects']['nodes'][number];

/** A licence area. */
export type LicenceArea = ListedProject['licenceArea'];

/** Key of a development project. */
export type ProjectName = Pick<ListedProject, 'publicationYear' | 'period' | 'projectId'> & {
  readonly licenceArea: Pick<LicenceArea, 'code'>;
};

/** Number of changed objects of one class. */
export type ObjectClassCount = ListedProject['latestVersion']['classCounts'][number];

/** Number of objects by kind of change. */
export type ChangeCounts = Omit<ObjectClassCount, 'type'>;

/** A development project with its versions, newest first. */
export type GridProject = ProjectOf<'ReadGridProject'>;

/** A version of a project. */
export type GridVersion = NonNullable<ProjectOf<'ReadGridVersion'>['version']>;

/** One of the difference models of a version. */
export type GridModel = GridVersion['models'][number];

/** Number of items and statements in a section of a difference model. */
export type SectionCounts = NonNullable<GridModel['forwardDifferences']>;

/** A location of the GL file with its object. */
export type GridLocation = NonNullable<ProjectOf<'ReadGridLocations'>['version']>['locations']['nodes'][number];

/** An object with all its changed values. */
export type ObjectChange = NonNullable<NonNullable<ProjectOf<'ReadGridObject'>['version']>['object']>;

/** An object of the list. */
export type ListedObject = Omit<ObjectChange, 'values' | 'incomingReferences'>;

/** The values of one property before and after a version. */
export type ValueChange = ObjectChange['values'][number];

/** The base model of a version, and the objects that do not fit it. */
export type GridFit = NonNullable<ProjectOf<'ReadGridFit'>['version']>;

/** An object that does not fit the base model. */
export type UnfittingObject = NonNullable<GridFit['unfittingObjects']>['nodes'][number];

/** A statement of a version that does not fit the base model. */
export type Finding = UnfittingObject['findings'][number];

/** An object after a version, with its base model. */
export type VersionWithObjectAfter = NonNullable<ProjectOf<'ReadGridObjectAfter'>['version']>;

/** An object after a version. */
export type ObjectAfter = NonNullable<VersionWithObjectAfter['objectAfter']>;

/** The differences between two versions. */
export type VersionComparison = NonNullable<ProjectOf<'ReadGridComparison'>['comparison']>;

/** A difference between a file of two versions. */
export type ModelDifference = VersionComparison['differences']['nodes'][number];
