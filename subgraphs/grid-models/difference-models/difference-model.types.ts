import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import type * as domain from '../rdf/difference-model';

/** The GraphQL names derive from the REST names: `EQ.xml` becomes `EQ_XML`. */
export const CimFileEnum = graphqlEnum<domain.CimFile>(
  'CimFile',
  'A file of the archive of a development project.',
  { EQ: 'EQ.xml: equipment.', SC: 'SC.xml: short circuit data.', GL: 'GL.xml: geographical locations.' },
  (file) => `${file}_XML`,
);

export const DifferenceSectionEnum = graphqlEnum<domain.DifferenceSection>(
  'DifferenceSection',
  'A section of a difference model.',
  {
    forward: 'Objects, attributes and associations to add to the base model.',
    reverse: 'Objects, attributes and associations to delete from the base model.',
  },
);

@ObjectType('DifferenceModelHeader', simple('The header of a difference model or a full model.'))
export class DifferenceModelHeaderType implements domain.DifferenceModelHeader {
  @Field(() => String, { description: 'Identifier of the model.' }) mRID: string;
  @Field(() => String, { description: 'When the model was created, as written in the file.' }) created: string;
  @Field(() => String, { description: 'The time that the model represents, as written in the file.' })
  scenarioTime: string;
  @Field(() => String, { description: 'The modeling authority set.' }) modelingAuthoritySet: string;
  @Field(() => [String], { description: 'URIs of its profiles.' }) profile: readonly string[];
  @Field(() => String, { description: 'Description of the model.' }) description: string;
  @Field(() => String, {
    description: 'Version of the model, a text. It is independent of the version of the archive.',
  })
  version: string;
  @Field(() => [String], { description: 'mRIDs of the models that it depends on.' })
  dependentOn: readonly string[];
  @Field(() => [String], { description: 'mRIDs of the models that it replaces.' }) supersedes: readonly string[];
}

@ObjectType('SectionCounts', simple('Number of items and statements in a section.'))
class SectionCountsType {
  @Field(() => Int, { description: 'Number of items.' }) items: number;
  @Field(() => Int, { description: 'Number of their attributes and associations.' }) statements: number;
}

@ObjectType('ItemClassCount', simple('Number of items and statements of a class in a section.'))
export class ItemClassCountType {
  @Field(() => DifferenceSectionEnum, { description: 'The section.' }) section: domain.DifferenceSection;
  @Field(() => String, { description: 'The prefixed class; `rdf:Description` for items of unknown class.' })
  type: string;
  @Field(() => Int, { description: 'Number of items.' }) items: number;
  @Field(() => Int, { description: 'Number of their attributes and associations.' }) statements: number;
}

@Directive('@key(fields: "id")')
@ObjectType('DifferenceModel', simple('A published difference model (IEC 61970-552).'))
export class DifferenceModelType {
  @Field(() => ID, { description: 'Its internal id.' }) id: string;
  @Field(() => CimFileEnum, { description: 'Its file in the archive.' }) file: domain.CimFile;
  @Field(() => DifferenceModelHeaderType, { description: 'Its header.' }) header: DifferenceModelHeaderType;
  @Field(
    () => SectionCountsType,
    nullable('Items that it adds to the base model; null if the file has no such section.'),
  )
  forwardDifferences: SectionCountsType | null;
  @Field(
    () => SectionCountsType,
    nullable('Items that it deletes from the base model; null if the file has no such section.'),
  )
  reverseDifferences: SectionCountsType | null;
}

@ObjectType('ModelDependency', simple('A model on which another one depends.'))
export class ModelDependencyType {
  @Field(() => String, { description: 'Its mRID.' }) mRID: string;
}

@ObjectType('DependencyStep', simple('A model in a chain of dependencies.'))
export class DependencyStepType {
  @Field(() => Int, { description: 'Length of the shortest path of dependencies, from 1.' }) depth: number;
  @Field(() => String, { description: 'Its mRID.' }) mRID: string;
}
