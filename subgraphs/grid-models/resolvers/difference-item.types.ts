import { ArgsType, Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import type { DifferenceSection } from '../domain/difference-model';
import { PageArgs, connectionType } from '../../server/connection.types';
import { DifferenceSectionEnum } from './grid-models.enums';

/** ItemAttribute of the graph. */
@ObjectType('ItemAttribute', { description: 'An attribute of an item.', simpleResolvers: true })
export class ItemAttributeType {
  @Field(() => String, { description: 'Its name, prefixed.' }) name: string;
  @Field(() => String, { description: 'Its value; of an enumeration prefixed: `cim:PhaseCode.ABC`.' }) value: string;
  @Field(() => Float, { nullable: true, description: 'The value as a number, where it is one.' }) number: number | null;
}

/** ItemAssociation of the graph. */
@ObjectType('ItemAssociation', { description: 'An association of an item.', simpleResolvers: true })
export class ItemAssociationType {
  @Field(() => String, { description: 'Its name, prefixed.' }) name: string;
  @Field(() => String, { description: 'mRID of its target.' }) target: string;
}

/** DifferenceItem of the graph. */
@ObjectType('DifferenceItem', {
  description: 'One object, or what changes of it, in a section of a difference model.',
  simpleResolvers: true,
})
export class DifferenceItemType {
  @Field(() => DifferenceSectionEnum, { description: 'Its section.' }) section: DifferenceSection;
  @Field(() => String, { description: 'The object.' }) mRID: string;
  @Field(() => String, { description: 'Its class, prefixed; `rdf:Description` where it is not known.' }) type: string;
  @Field(() => Boolean, { description: 'Whether it is the whole object, not a change of one.' }) isObject: boolean;
  @Field(() => String, { nullable: true, description: 'cim:IdentifiedObject.name.' }) name: string | null;
  @Field(() => String, { nullable: true, description: 'cim:IdentifiedObject.description.' }) description: string | null;
  @Field(() => [ItemAttributeType], {
    description: 'Its attributes but name and description, in the order of the file, repetitions included.',
  })
  attributes: readonly ItemAttributeType[];
  @Field(() => [ItemAssociationType], {
    description: 'Its associations in the order of the file, repetitions included.',
  })
  associations: readonly ItemAssociationType[];
  @Field(() => Int, { description: 'Its attributes and associations, name and description included.' })
  statements: number;
}

/** DifferenceItemConnection of the graph. */
export const DifferenceItemConnectionType = connectionType(
  'DifferenceItem',
  'A page of the items of a difference model, in the order of the file.',
  () => DifferenceItemType,
);

/** StatementFilter of the graph. */
@InputType('StatementFilter', { description: 'Which attribute or association an item must have.' })
export class StatementFilterInput {
  @Field(() => String, { description: 'Its name, prefixed: `cim:ACLineSegment.r`.' }) name: string;
  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description:
      'Its value, exactly; of an association the mRID of its target, in any case, also as a file refers to it: `#_…`. Any value when left out.',
  })
  value: string | null;
}

/** Which page of the items of a difference model, and which of them. */
@ArgsType()
export class DifferenceItemArgs extends PageArgs {
  @Field(() => DifferenceSectionEnum, {
    nullable: true,
    defaultValue: null,
    description: 'Only items of this section.',
  })
  section: DifferenceSection | null;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Only items of this class, prefixed.' })
  type: string | null;
  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description: 'Only items of this object, in any case, also as a file refers to it: `#_…`.',
  })
  mRID: string | null;
  @Field(() => StatementFilterInput, { nullable: true, defaultValue: null, description: 'Only items that say this.' })
  statement: StatementFilterInput | null;
}
