import { Field, ObjectType } from 'type-graphql';
import { nullable, simple } from '../../server/graph/decorator-options';
import { connectionType } from '../../server/lists/connection.types';
import { ItemAssociationType, ItemAttributeType } from './difference-item.resolver';

@ObjectType(
  'ModelPrecondition',
  simple('Statements about one object that must hold in the base model before the difference is applied.'),
)
class ModelPreconditionType {
  @Field(() => String, { description: 'mRID of the object.' }) mRID: string;
  @Field(() => String, { description: 'Its prefixed class; `rdf:Description` if the file does not state it.' })
  type: string;
  @Field(() => String, nullable('`cim:IdentifiedObject.name`.')) name: string | null;
  @Field(() => String, nullable('`cim:IdentifiedObject.description`.')) description: string | null;
  @Field(() => [ItemAttributeType], { description: 'Its attributes except name and description.' })
  attributes: readonly ItemAttributeType[];
  @Field(() => [ItemAssociationType], { description: 'Its associations.' })
  associations: readonly ItemAssociationType[];
}

/** Pages of preconditions. */
export const ModelPreconditionConnectionType = connectionType(
  'ModelPrecondition',
  'A page of the preconditions of a difference model (`dm:preconditions`), in the order of the file.',
  () => ModelPreconditionType,
);
