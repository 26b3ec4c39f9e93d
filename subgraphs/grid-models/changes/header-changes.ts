import type { CimFile, DifferenceModelHeader } from '../rdf/difference-model';
import { type ValueChange, isSame } from './object-changes';

/** The fields of a header, as in the file. */
const FIELDS: readonly {
  readonly field: keyof DifferenceModelHeader;
  readonly name: string;
  readonly isAssociation: boolean;
}[] = [
  { field: 'mRID', name: 'rdf:about', isAssociation: true },
  { field: 'created', name: 'md:Model.created', isAssociation: false },
  { field: 'scenarioTime', name: 'md:Model.scenarioTime', isAssociation: false },
  { field: 'modelingAuthoritySet', name: 'md:Model.modelingAuthoritySet', isAssociation: false },
  { field: 'profile', name: 'md:Model.profile', isAssociation: false },
  { field: 'description', name: 'md:Model.description', isAssociation: false },
  { field: 'version', name: 'md:Model.version', isAssociation: false },
  { field: 'dependentOn', name: 'md:Model.DependentOn', isAssociation: true },
  { field: 'supersedes', name: 'md:Model.Supersedes', isAssociation: true },
];

/** Returns the fields in which two headers differ. The order of the values of a field does not count. */
export function headerChanges(
  file: CimFile,
  before: DifferenceModelHeader,
  after: DifferenceModelHeader,
): ValueChange[] {
  return FIELDS.map(({ field, name, isAssociation }) => {
    const valuesOf = (header: DifferenceModelHeader): readonly string[] => [header[field]].flat();
    return { file, name, isAssociation, before: valuesOf(before), after: valuesOf(after) };
  }).filter((change) => !isSame(change));
}
