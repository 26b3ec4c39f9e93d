import { ArgsType, Field, ObjectType } from 'type-graphql';
import type { CimFile } from '../domain/difference-model';
import type { ObjectChangeKind } from '../domain/object-changes';
import { PageArgs, connectionType } from '../../server/connection.types';
import { CimFileEnum, ObjectChangeKindEnum } from './grid-models.enums';

/** ValueChange of the graph. */
@ObjectType('ValueChange', { description: 'An attribute or association, old and new.', simpleResolvers: true })
export class ValueChangeType {
  @Field(() => CimFileEnum, { description: 'The file that says so.' }) file: CimFile;
  @Field(() => String, { description: 'The attribute or association, prefixed.' }) name: string;
  @Field(() => Boolean, { description: 'Whether it is an association: its values are mRIDs.' }) isAssociation: boolean;
  @Field(() => [String], { description: 'Old values; none when it is new.' }) before: readonly string[];
  @Field(() => [String], { description: 'New values; none when it is there no more.' }) after: readonly string[];
}

/** ObjectChange of the graph. */
@ObjectType('ObjectChange', {
  description: 'What a version does to one object, over its three files and both sections.',
  simpleResolvers: true,
})
export class ObjectChangeType {
  @Field(() => String, { description: 'The object.' }) mRID: string;
  @Field(() => String, { description: 'Its class, prefixed; `rdf:Description` where it is not known.' }) type: string;
  @Field(() => ObjectChangeKindEnum, { description: 'What becomes of it.' }) kind: ObjectChangeKind;
  @Field(() => String, { nullable: true, description: 'Its name; null where no file says it.' }) name: string | null;
  @Field(() => [CimFileEnum], { description: 'The files that say something of it.' }) files: readonly CimFile[];
}

/** ObjectChangeConnection of the graph. */
export const ObjectChangeConnectionType = connectionType(
  'ObjectChange',
  'A page of the changes of a version, in the order of mRIDs.',
  () => ObjectChangeType,
);

/** Which page of the changes of a version, and which of them. */
@ArgsType()
export class ObjectChangeArgs extends PageArgs {
  @Field(() => ObjectChangeKindEnum, { nullable: true, defaultValue: null, description: 'Only changes of this kind.' })
  kind: ObjectChangeKind | null;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Only objects of this class, prefixed.' })
  type: string | null;
  @Field(() => String, {
    nullable: true,
    defaultValue: null,
    description:
      'Only objects whose mRID begins with this text (`_`, `#_` and `urn:uuid:` may stand before it), or whose name contains it, in any case.',
  })
  search: string | null;
}
