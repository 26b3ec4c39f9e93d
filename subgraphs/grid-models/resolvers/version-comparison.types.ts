import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import type { CimFile, DifferenceSection } from '../domain/difference-model';
import type { ObjectChangeKind } from '../domain/object-changes';
import { PageArgs, connectionType } from '../../server/connection.types';
import { CimFileEnum, DifferenceSectionEnum, ObjectChangeKindEnum } from './grid-models.enums';
import { ProjectVersionType } from './project-version.types';

/** ComparisonCount of the graph. */
@ObjectType('ComparisonCount', { description: 'How many items of a file are different.', simpleResolvers: true })
export class ComparisonCountType {
  @Field(() => CimFileEnum, { description: 'The file.' }) file: CimFile;
  @Field(() => Int, { description: 'Items that only the other version has.' }) added: number;
  @Field(() => Int, { description: 'Items that only the first version has.' }) removed: number;
  @Field(() => Int, { description: 'Items that both have, each its own way.' }) changed: number;
}

/** VersionComparison of the graph. */
@ObjectType('VersionComparison', {
  description: 'What changed between two versions of an archive, item by item.',
  simpleResolvers: true,
})
export class VersionComparisonType {
  @Field(() => ProjectVersionType, { description: 'The version that is compared.' }) from: ProjectVersionType;
  @Field(() => ProjectVersionType, { description: 'The version with which it is compared.' }) to: ProjectVersionType;
}

/** ModelDifference of the graph. */
@ObjectType('ModelDifference', { description: 'An item that two versions do not share.', simpleResolvers: true })
export class ModelDifferenceType {
  @Field(() => CimFileEnum, { description: 'Its file.' }) file: CimFile;
  @Field(() => DifferenceSectionEnum, { description: 'Its section.' }) section: DifferenceSection;
  @Field(() => String, { description: 'The object.' }) mRID: string;
  @Field(() => String, {
    description: 'Its class, prefixed, as any file of the version says it; `rdf:Description` where it is not known.',
  })
  type: string;
  @Field(() => String, { nullable: true, description: 'Its name; null where no file of the version says it.' })
  name: string | null;
  @Field(() => ObjectChangeKindEnum, { description: 'Whether the item is new, gone or different.' })
  kind: ObjectChangeKind;
}

/** ModelDifferenceConnection of the graph. */
export const ModelDifferenceConnectionType = connectionType(
  'ModelDifference',
  'A page of the differences of two versions: by file, then in the order of mRIDs.',
  () => ModelDifferenceType,
);

/** Which page of the differences of two versions, and which of them. */
@ArgsType()
export class ModelDifferenceArgs extends PageArgs {
  @Field(() => CimFileEnum, { nullable: true, defaultValue: null, description: 'Only items of this file.' })
  file: CimFile | null;
  @Field(() => ObjectChangeKindEnum, {
    nullable: true,
    defaultValue: null,
    description: 'Only differences of this kind.',
  })
  kind: ObjectChangeKind | null;
}
