import { Directive, Field, ID, Int, ObjectType } from 'type-graphql';
import type * as domain from '../domain/difference-model';
import { CimFileEnum, DifferenceSectionEnum } from './grid-models.enums';

/** DifferenceModelHeader of the graph. */
@ObjectType('DifferenceModelHeader', { description: 'The header of a difference model.', simpleResolvers: true })
export class DifferenceModelHeaderType implements domain.DifferenceModelHeader {
  @Field(() => String, { description: 'Identifier of the model.' }) mRID: string;
  @Field(() => String, { description: 'When the model was created, as the file says it.' }) created: string;
  @Field(() => String, { description: 'For which time it is, as the file says it.' }) scenarioTime: string;
  @Field(() => String, { description: 'The modeling authority set.' }) modelingAuthoritySet: string;
  @Field(() => [String], { description: 'URIs of its profiles.' }) profile: readonly string[];
  @Field(() => String, { description: 'What it is.' }) description: string;
  @Field(() => String, { description: 'Its own version, a text; not that of the archive.' }) version: string;
  @Field(() => [String], { description: 'mRIDs of the models that it is a difference to.' })
  dependentOn: readonly string[];
  @Field(() => [String], { description: 'mRIDs of the models that it replaces.' }) supersedes: readonly string[];
}

/** SectionCounts of the graph. */
@ObjectType('SectionCounts', { description: 'What a section holds.', simpleResolvers: true })
export class SectionCountsType {
  @Field(() => Int, { description: 'Its items.' }) items: number;
  @Field(() => Int, { description: 'Their attributes and associations.' }) statements: number;
}

/** ItemClassCount of the graph. */
@ObjectType('ItemClassCount', { description: 'What a section holds of a class.', simpleResolvers: true })
export class ItemClassCountType {
  @Field(() => DifferenceSectionEnum, { description: 'The section.' }) section: domain.DifferenceSection;
  @Field(() => String, { description: 'The class, prefixed; `rdf:Description` where it is not known.' }) type: string;
  @Field(() => Int, { description: 'Its items.' }) items: number;
  @Field(() => Int, { description: 'Their attributes and associations.' }) statements: number;
}

/** DifferenceModel of the graph. */
@Directive('@key(fields: "id")')
@ObjectType('DifferenceModel', { description: 'A published difference model (IEC 61970-552).', simpleResolvers: true })
export class DifferenceModelType {
  @Field(() => ID, { description: 'Its internal id.' }) id: string;
  @Field(() => CimFileEnum, { description: 'Which file of its archive it is.' }) file: domain.CimFile;
  @Field(() => DifferenceModelHeaderType, { description: 'Its header.' }) header: DifferenceModelHeaderType;
  @Field(() => SectionCountsType, { nullable: true, description: 'What it adds; null when the section is absent.' })
  forwardDifferences: SectionCountsType | null;
  @Field(() => SectionCountsType, { nullable: true, description: 'What it deletes; null when the section is absent.' })
  reverseDifferences: SectionCountsType | null;
}

/** ModelDependency of the graph. */
@ObjectType('ModelDependency', { description: 'A model that another one is a difference to.', simpleResolvers: true })
export class ModelDependencyType {
  @Field(() => String, { description: 'Its mRID.' }) mRID: string;
}

/** DependencyStep of the graph. */
@ObjectType('DependencyStep', { description: 'A model in a chain of dependencies.', simpleResolvers: true })
export class DependencyStepType {
  @Field(() => Int, { description: 'How many dependencies away, from 1.' }) depth: number;
  @Field(() => String, { description: 'Its mRID.' }) mRID: string;
}
