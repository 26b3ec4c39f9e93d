/** What a version does to an object: writes it whole, takes it away whole, or changes something of it. */
export type ObjectChangeKind = (typeof OBJECT_CHANGE_KINDS)[number];

/** In the order in which pages name them. */
export const OBJECT_CHANGE_KINDS = ['ADDED', 'REMOVED', 'CHANGED'] as const;

/** A file of the archive: equipment, short circuit, geographical location. */
export type CimFile = (typeof CIM_FILES)[number];

/** In the order of the archive. */
export const CIM_FILES = ['EQ_XML', 'SC_XML', 'GL_XML'] as const;

/** A licence area, as pages name it. */
export interface LicenceArea {
  readonly code: string;
  readonly name: string;
  readonly group: string;
}

/** Of which development project something is. */
export interface ProjectName {
  readonly licenceArea: Pick<LicenceArea, 'code'>;
  readonly publicationYear: number;
  readonly period: string;
  readonly projectId: string;
}

/** How many objects a change concerns, by what it does to them. */
export interface ChangeCounts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** How many objects of one class a version changes. */
export interface ObjectClassCount extends ChangeCounts {
  readonly type: string;
}

/** A version of a project, by number and time. */
export interface VersionName {
  readonly version: number;
  readonly publishedAt: string;
}

/** A development project of the list. */
export interface ListedProject extends ProjectName {
  readonly licenceArea: LicenceArea;
  readonly latestVersion: VersionName & { readonly classCounts: readonly ObjectClassCount[] };
}

/** A development project with its versions, newest first. */
export interface GridProject extends ProjectName {
  readonly licenceArea: LicenceArea;
  readonly versions: readonly VersionName[];
}

/** A file as it is stored. */
export interface StoredFile {
  readonly name: string;
  readonly size: number;
}

/** A version with what its picture shows. */
export interface GridVersion extends VersionName {
  readonly archive: StoredFile;
  /** Points that no location has. */
  readonly unplacedPoints: number;
  readonly classCounts: readonly ObjectClassCount[];
  readonly models: readonly GridModel[];
}

/** One of the difference models of a version. */
export interface GridModel {
  readonly file: CimFile;
  readonly stored: StoredFile;
  readonly header: ModelHeader;
  readonly forwardDifferences: SectionCounts | null;
  readonly reverseDifferences: SectionCounts | null;
  readonly dependentOn: readonly { readonly mRID: string; readonly models: readonly PlacedModel[] }[];
}

/** A published model, by where it stands. */
export interface PlacedModel {
  readonly file: CimFile;
  readonly projectVersion: { readonly version: number; readonly project: ProjectName };
}

/** Header of a difference model (IEC 61970-552). */
export interface ModelHeader {
  readonly mRID: string;
  readonly created: string;
  readonly scenarioTime: string;
  readonly modelingAuthoritySet: string;
  readonly profile: readonly string[];
  readonly description: string;
  readonly version: string;
  readonly supersedes: readonly string[];
}

/** How much a section of a difference model holds. */
export interface SectionCounts {
  readonly items: number;
  readonly statements: number;
}

/** A location of the GL file, with the object that stands there. */
export interface GridLocation {
  readonly mRID: string;
  readonly kind: ObjectChangeKind;
  readonly name: string | null;
  readonly object: string | null;
  readonly objectType: string | null;
  readonly objectName: string | null;
  readonly coordinateSystem: string | null;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** An object of a list. */
export interface ListedObject {
  readonly mRID: string;
  readonly type: string;
  readonly kind: ObjectChangeKind;
  readonly name: string | null;
  readonly files: readonly CimFile[];
}

/** What changes of an object, with the values of each name before and after. */
export interface ValueChange {
  readonly file: CimFile;
  readonly name: string;
  readonly isAssociation: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** An object with everything that changes of it. */
export interface ObjectChange extends ListedObject {
  readonly values: readonly ValueChange[];
}

/** What is different in a file of two versions. */
export interface ModelDifference {
  readonly file: CimFile;
  readonly section: 'FORWARD' | 'REVERSE';
  readonly mRID: string;
  readonly type: string;
  readonly name: string | null;
  readonly kind: ObjectChangeKind;
  readonly values: readonly ValueChange[];
}

/** Two versions beside each other. */
export interface VersionComparison {
  readonly counts: readonly (ChangeCounts & { readonly file: CimFile })[];
  readonly differences: { readonly nodes: readonly ModelDifference[]; readonly nextCursor: string | null };
}
