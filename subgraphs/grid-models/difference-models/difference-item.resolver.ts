import { ArgsType, Field, FieldResolver, Float, InputType, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { PageArgs, connectionType } from '../../server/lists/connection.types';
import type { ObjectChangeQueries, StoredChange } from '../changes/object-change.queries';
import { ObjectChangeType } from '../changes/object-change.resolver';
import type { DifferenceSection } from '../rdf/difference-model';
import { DifferenceSectionEnum } from './difference-model.types';
import type { ShownItem } from './stored-item.queries';

@ObjectType('ItemAttribute', simple('An attribute of an item.'))
export class ItemAttributeType {
  @Field(() => String, { description: 'Its prefixed name.' }) name: string;
  @Field(() => String, { description: 'Its value; the value of an enumeration is prefixed: `cim:PhaseCode.ABC`.' })
  value: string;
  @Field(() => Float, nullable('The value as a number; null if it is none.')) number: number | null;
}

@ObjectType('ItemAssociation', simple('An association of an item.'))
export class ItemAssociationType {
  @Field(() => String, { description: 'Its prefixed name.' }) name: string;
  @Field(() => String, { description: 'mRID of its target.' }) target: string;
}

@ObjectType('DifferenceItem', simple('An object, or a change of one, in a section of a difference model.'))
class DifferenceItemType {
  @Field(() => DifferenceSectionEnum, { description: 'Its section.' }) section: DifferenceSection;
  @Field(() => String, { description: 'mRID of the object.' }) mRID: string;
  @Field(() => String, { description: 'Its prefixed class; `rdf:Description` if the file does not state it.' })
  type: string;
  @Field(() => Boolean, {
    description: 'Whether the item is the whole object (`rdf:ID`), not a change of one (`rdf:about`).',
  })
  isObject: boolean;
  @Field(() => String, nullable('`cim:IdentifiedObject.name`.')) name: string | null;
  @Field(() => String, nullable('`cim:IdentifiedObject.description`.')) description: string | null;
  @Field(() => [ItemAttributeType], {
    description: 'Its attributes except name and description, in the order of the file, including repetitions.',
  })
  attributes: readonly ItemAttributeType[];
  @Field(() => [ItemAssociationType], {
    description: 'Its associations in the order of the file, including repetitions.',
  })
  associations: readonly ItemAssociationType[];
  @Field(() => Int, { description: 'Number of its attributes and associations, including name and description.' })
  statements: number;
}

/** Pages of items. */
export const DifferenceItemConnectionType = connectionType(
  'DifferenceItem',
  'A page of the items of a difference model, in the order of the file.',
  () => DifferenceItemType,
);

@InputType('StatementFilter', { description: 'An attribute or association that an item must have.' })
class StatementFilterInput {
  @Field(() => String, { description: 'Its prefixed name: `cim:ACLineSegment.r`.' }) name: string;
  @Field(
    () => String,
    optional(
      'Its exact value. For an association, the mRID of its target, case-insensitive, also as a reference: `#_…`. Any value if omitted.',
    ),
  )
  value: string | null;
}

/** Page and conditions of a list of items. */
@ArgsType()
export class DifferenceItemArgs extends PageArgs {
  @Field(() => DifferenceSectionEnum, optional('Only items of this section.')) section: DifferenceSection | null;
  @Field(() => String, optional('Only items of this prefixed class: `cim:ACLineSegment`.')) type: string | null;
  @Field(
    () => String,
    optional('Only items of the object with this mRID, case-insensitive, also as a reference: `#_…`.'),
  )
  mRID: string | null;
  @Field(() => StatementFilterInput, optional('Only items with this attribute or association.'))
  statement: StatementFilterInput | null;
}

/** Resolves the change of the object of an item. */
@Resolver(() => DifferenceItemType)
export class DifferenceItemResolver {
  constructor(private readonly changes: ObjectChangeQueries) {}

  @FieldResolver(() => ObjectChangeType, {
    description: 'The change that the version makes to the object, over its three files.',
  })
  change(@Root() { versionId, mRID }: ShownItem): Promise<StoredChange | null> {
    return this.changes.ofObject(versionId, mRID);
  }
}
