import type { CimFile } from '../rdf/difference-model';

/** Kind of a warning (decisions C.3). */
export type ModelWarningKind = 'reused-mrid' | 'no-dependency' | 'created-without-zone' | 'unpublished-dependency';

/** A property of a published model that its publisher should check. It does not prevent the publication. */
export interface ModelWarning {
  readonly file: CimFile;
  readonly kind: ModelWarningKind;
  /** A sentence without the file. */
  readonly message: string;
}

/** Properties of a published model on which its warnings depend. */
export interface WarningInputs {
  readonly file: CimFile;
  readonly mRID: string;
  /** As written in the file. */
  readonly created: string;
  readonly dependentOn: readonly string[];
  /** Whether it must depend on another model: not the EQ of a base model, which has nothing but a boundary set before it. */
  readonly needsDependency: boolean;
  /** Entries of `dependentOn` that are the mRID of no published model. */
  readonly unpublished: readonly string[];
  /** Whether a difference model or a full model with the same mRID and other bytes was published before. */
  readonly isReused: boolean;
}

/** Time zone at the end of an `xsd:dateTime`. */
const ZONE = /(?:Z|[+-]\d{2}:\d{2})$/;

/** Returns the warnings of a model. Those on dependencies end when the dependency is published. */
export function modelWarnings(inputs: WarningInputs): ModelWarning[] {
  const { file, mRID, created, dependentOn, needsDependency, unpublished, isReused } = inputs;
  const warning = (kind: ModelWarningKind, message: string): ModelWarning => ({ file, kind, message });
  return [
    ...(isReused ? [warning('reused-mrid', `The model mRID ${mRID} was published before with other contents.`)] : []),
    ...(ZONE.test(created)
      ? []
      : [warning('created-without-zone', 'md:Model.created has no time zone; it is served as written.')]),
    ...(needsDependency && dependentOn.length === 0
      ? [warning('no-dependency', 'md:Model.DependentOn is missing: the model names no model on which it depends.')]
      : []),
    ...unpublished.map((each) =>
      warning('unpublished-dependency', `The model depends on ${each}, which is not published in this register.`),
    ),
  ];
}
