import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import { DateTime, PublicationPeriod } from '../../../schema/scalars';
import { nullable, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import { connectionType } from '../../server/lists/connection.types';
import { CimFileEnum, DifferenceModelHeaderType } from '../difference-models/difference-model.types';
import type { PublicationPeriod as Period } from '../publications/publication-key';
import type { CimFile } from '../rdf/difference-model';
import type { FindingKind } from './applied-object';

const FindingKindEnum = graphqlEnum<FindingKind>(
  'FindingKind',
  'How a statement of a version does not fit the base model.',
  {
    'missing-statement': 'The version deletes the statement, and the base model lacks it.',
    'dangling-association': 'After the version, the association refers to an object that does not exist.',
    'added-twice': 'The version adds the object, which exists.',
  },
);

@ObjectType('BaseFile', simple('A full model (`md:FullModel`) of a base model.'))
export class BaseFileType {
  @Field(() => CimFileEnum, { description: 'The file.' }) file: CimFile;
  @Field(() => DifferenceModelHeaderType, { description: 'Its header.' }) header: DifferenceModelHeaderType;
  @Field(() => Int, { description: 'Number of its objects, and of descriptions of objects of other files.' })
  items: number;
  @Field(() => Int, { description: 'Number of their attributes and associations.' }) statements: number;
}

@ObjectType('BaseModel', {
  description:
    'The full models of a licence area, to which projects are applied. They never change: a correction is a new version.',
  simpleResolvers: true,
})
export class BaseModelType {
  @Field(() => Int, { description: 'The year of the publication.' }) publicationYear: number;
  @Field(() => PublicationPeriod, { description: 'The publication cycle of the year.' }) period: Period;
  @Field(() => Int, { description: 'Its number in the cycle, from 1.' }) version: number;
  @Field(() => DateTime, { description: 'When it was published.' }) publishedAt: Date;
}

@ObjectType('BaseObject', simple('Class and name of an object in a base model.'))
export class BaseObjectType {
  @Field(() => String, { description: 'Its prefixed class: `cim:Breaker`.' }) type: string;
  @Field(() => String, nullable('Its name; null if it has none.')) name: string | null;
}

/** A publication cycle of a licence area. */
@ArgsType()
export class BaseModelArgs {
  @Field(() => String, { description: 'Code or alias of the licence area, case-insensitive.' }) area: string;
  @Field(() => Int, { description: 'The year of the publication.' }) publicationYear: number;
  @Field(() => PublicationPeriod, { description: 'The publication cycle of the year.' }) period: Period;
}

@ObjectType('Finding', simple('A statement that does not fit the base model.'))
class FindingType {
  @Field(() => FindingKindEnum, { description: 'How it does not fit.' }) kind: FindingKind;
  @Field(() => CimFileEnum, { description: 'The file with the statement.' }) file: CimFile;
  @Field(() => String, { description: 'mRID of the object that has the statement.' }) mRID: string;
  @Field(() => String, { description: 'Prefixed name of the attribute or association; `rdf:type` for the class.' })
  name: string;
  @Field(() => String, { description: 'The value: a text, an enumeration value, a class, or the mRID of a target.' })
  value: string;
  @Field(() => [String], {
    description:
      'For a missing statement: the first 10 values of the same name that the base model has, and that the version leaves.',
  })
  instead: readonly string[];
}

@ObjectType('StatementAfter', simple('A statement about an object after a version.'))
class StatementAfterType {
  @Field(() => CimFileEnum, { description: 'The file that contains it.' }) file: CimFile;
  @Field(() => String, { description: 'Prefixed name: `cim:ACLineSegment.r`.' }) name: string;
  @Field(() => Boolean, { description: 'Whether it is an association, whose value is an mRID.' })
  isAssociation: boolean;
  @Field(() => String, { description: 'The value.' }) value: string;
  @Field(() => Boolean, { description: 'Whether the version adds it: the base model lacks it.' }) isNew: boolean;
  @Field(() => Boolean, { description: 'False for an association to an object that does not exist after the version.' })
  targetExists: boolean;
}

@ObjectType('ObjectAfter', simple('An object after the difference models of a version are applied to the base model.'))
export class ObjectAfterType {
  @Field(() => String, { description: 'mRID of the object.' }) mRID: string;
  @Field(() => String, { description: 'Its prefixed class; the former one of a removed object.' }) type: string;
  @Field(() => String, nullable('Its name after the version.')) name: string | null;
  @Field(() => Boolean, { description: 'Whether the base model has the object.' }) existed: boolean;
  @Field(() => Boolean, { description: 'Whether it exists after the version.' }) exists: boolean;
  @Field(() => [StatementAfterType], {
    description: 'Its attributes and associations after the version, in the order EQ, SC, GL.',
  })
  statements: readonly StatementAfterType[];
  @Field(() => [FindingType], {
    description:
      'What does not fit; of a removed object, also the associations that at most 1,000 other objects keep to it.',
  })
  findings: readonly FindingType[];
}

/** Pages of objects after a version. */
export const ObjectAfterConnectionType = connectionType(
  'ObjectAfter',
  'A page of objects that do not fit the base model, ordered by mRID. A page examines at most 2,000 objects: it can have fewer entries than requested, and still a next page.',
  () => ObjectAfterType,
);
