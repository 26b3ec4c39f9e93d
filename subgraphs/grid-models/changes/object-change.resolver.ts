import { Args, ArgsType, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import type { Connection } from '../../server/lists/connection';
import { PageArgs, connectionType } from '../../server/lists/connection.types';
import { CimFileEnum } from '../difference-models/difference-model.types';
import type { CimFile } from '../rdf/difference-model';
import type { ObjectChangeQueries, StoredChange } from './object-change.queries';
import type { ObjectChangeKind, ValueChange } from './object-changes';
import type { ObjectReference, ObjectReferenceQueries } from './object-reference.queries';

export const ObjectChangeKindEnum = graphqlEnum<ObjectChangeKind>(
  'ObjectChangeKind',
  'How a version changes an object.',
  {
    added: 'The version adds it.',
    removed: 'The version removes it.',
    changed: 'The version changes its class, attributes or associations.',
  },
);

@ObjectType('ValueChange', simple('The old and new values of an attribute or association, or of the class.'))
export class ValueChangeType {
  @Field(() => CimFileEnum, { description: 'The file that contains the change.' }) file: CimFile;
  @Field(() => String, {
    description: 'Prefixed name of the attribute or association: `cim:ACLineSegment.r`; `rdf:type` for the class.',
  })
  name: string;
  @Field(() => Boolean, { description: 'Whether it is an association, whose values are mRIDs.' })
  isAssociation: boolean;
  @Field(() => [String], { description: 'Old values; empty if it is new.' }) before: readonly string[];
  @Field(() => [String], { description: 'New values; empty if it is removed.' }) after: readonly string[];
}

@ObjectType(
  'ObjectChange',
  simple('The change that a version makes to one object, over its three files and both sections.'),
)
export class ObjectChangeType {
  @Field(() => String, { description: 'mRID of the object.' }) mRID: string;
  @Field(() => String, {
    description: 'Its prefixed class, the new one if the version changes it; `rdf:Description` if no file states it.',
  })
  type: string;
  @Field(() => ObjectChangeKindEnum, {
    description:
      'Kind of the change. It depends on the base model that applied when the version was published; a later base model does not change it.',
  })
  kind: ObjectChangeKind;
  @Field(() => String, nullable('Its name; null if no file states it.')) name: string | null;
  @Field(() => [CimFileEnum], { description: 'The files with items of the object.' }) files: readonly CimFile[];
}

/** Pages of changes. */
export const ObjectChangeConnectionType = connectionType(
  'ObjectChange',
  'A page of the changes of a version, ordered by class and name. If no file states the class of an object, it is listed under that of the base model when the version was published, or else the proposed one. Objects whose class remains unknown follow the others, and points (`cim:PositionPoint` and the like) come last.',
  () => ObjectChangeType,
);

@ObjectType('ObjectReference', simple('An association of another object of the version that refers to an object.'))
class ObjectReferenceType {
  @Field(() => String, { description: 'Prefixed name of the association: `cim:Terminal.ConductingEquipment`.' })
  name: string;
  @Field(() => CimFileEnum, { description: 'The file that contains it.' }) file: CimFile;
  @Field(() => ObjectChangeType, { description: 'The object that refers.' }) source: ObjectChangeType;
  @Field(() => Boolean, { description: 'Whether the version deletes this reference.' }) isDeleted: boolean;
  @Field(() => Boolean, { description: 'Whether the version adds this reference.' }) isAdded: boolean;
}

/** Pages of references. */
const ObjectReferenceConnectionType = connectionType(
  'ObjectReference',
  'A page of references to an object, ordered by association, then mRID.',
  () => ObjectReferenceType,
);

/** Page and conditions of a list of changes. */
@ArgsType()
export class ObjectChangeArgs extends PageArgs {
  @Field(() => ObjectChangeKindEnum, optional('Only changes of this kind.')) kind: ObjectChangeKind | null;
  @Field(
    () => String,
    optional(
      'Only objects that are listed under this prefixed class: `cim:ACLineSegment`. `rdf:Description` selects objects whose class remains unknown.',
    ),
  )
  type: string | null;
  @Field(
    () => String,
    optional(
      'Only objects whose mRID starts with this text, optionally after `_`, `#_` or `urn:uuid:`, or whose name contains it. Case-insensitive.',
    ),
  )
  search: string | null;
}

/** Resolves the values of a change, and the objects that refer to its object. */
@Resolver(() => ObjectChangeType)
export class ObjectChangeResolver {
  constructor(
    private readonly changes: ObjectChangeQueries,
    private readonly references: ObjectReferenceQueries,
  ) {}

  @FieldResolver(() => [ValueChangeType], {
    description: 'Its changed attributes and associations; a change of class as `rdf:type`.',
  })
  values(@Root() change: StoredChange): Promise<readonly ValueChange[]> {
    return this.changes.values(change);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description:
      'If no file states the class: the prefixed class to which its attributes belong, which is a proposal. Null if the class is known, or the attributes do not suggest one.',
  })
  proposedType(@Root() change: StoredChange): Promise<string | null> {
    return this.changes.proposedType(change);
  }

  @FieldResolver(() => ObjectReferenceConnectionType, {
    description: 'The associations of other objects of the version that refer to this one.',
  })
  incomingReferences(@Root() change: StoredChange, @Args() page: PageArgs): Promise<Connection<ObjectReference>> {
    return this.references.page(change, page);
  }
}
