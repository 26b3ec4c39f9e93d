import { Args, ArgsType, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { nullable, optional, simple } from '../../server/graph/decorator-options';
import type { Connection } from '../../server/lists/connection';
import { PageArgs, connectionType } from '../../server/lists/connection.types';
import { CimFileEnum, DifferenceSectionEnum } from '../difference-models/difference-model.types';
import { ProjectVersionType } from '../projects/development-project.types';
import type { CimFile, DifferenceSection } from '../rdf/difference-model';
import type { DifferenceModelQueries } from '../difference-models/difference-model.queries';
import { headerChanges } from './header-changes';
import { ObjectChangeKindEnum, ValueChangeType } from './object-change.resolver';
import type { ObjectChangeKind, ValueChange } from './object-changes';
import type {
  ComparedVersions,
  ComparisonCount,
  ModelDifference,
  VersionComparisonQueries,
} from './version-comparison.queries';

@ObjectType('ComparisonCount', simple('Number of differences of a file: of objects in one of its sections.'))
class ComparisonCountType {
  @Field(() => CimFileEnum, { description: 'The file.' }) file: CimFile;
  @Field(() => Int, { description: 'Objects in a section that only the second version has.' }) added: number;
  @Field(() => Int, { description: 'Objects in a section that only the first version has.' }) removed: number;
  @Field(() => Int, {
    description:
      'Objects in a section that both versions have, with different statements, class or form. The order and division of items do not count.',
  })
  changed: number;
}

@ObjectType('VersionComparison', {
  description:
    'The differences between two versions of an archive, object by object in each section. The order of items, and how they divide the statements of an object, do not count.',
  simpleResolvers: true,
})
export class VersionComparisonType {
  @Field(() => ProjectVersionType, { description: 'The first version.' }) from: ProjectVersionType;
  @Field(() => ProjectVersionType, { description: 'The second version.' }) to: ProjectVersionType;
}

@ObjectType(
  'ModelDifference',
  simple('What a section of a file says about an object, where two versions differ in it.'),
)
class ModelDifferenceType {
  @Field(() => CimFileEnum, { description: 'Its file.' }) file: CimFile;
  @Field(() => DifferenceSectionEnum, { description: 'Its section.' }) section: DifferenceSection;
  @Field(() => String, { description: 'mRID of the object.' }) mRID: string;
  @Field(() => String, {
    description: 'Its prefixed class, from any file of the version; `rdf:Description` if no file states it.',
  })
  type: string;
  @Field(() => String, nullable('Its name; null if no file of the version states it.')) name: string | null;
  @Field(() => ObjectChangeKindEnum, {
    description: 'Whether the second version adds, removes or changes the items of the object.',
  })
  kind: ObjectChangeKind;
}

/** Pages of differences. */
const ModelDifferenceConnectionType = connectionType(
  'ModelDifference',
  'A page of the differences of two versions, ordered by file, then mRID.',
  () => ModelDifferenceType,
);

/** Page and conditions of a list of differences. */
@ArgsType()
class ModelDifferenceArgs extends PageArgs {
  @Field(() => CimFileEnum, optional('Only differences of this file.')) file: CimFile | null;
  @Field(() => ObjectChangeKindEnum, optional('Only differences of this kind.')) kind: ObjectChangeKind | null;
}

/** Resolves the counts and differences of a comparison. */
@Resolver(() => VersionComparisonType)
export class VersionComparisonResolver {
  constructor(
    private readonly comparisons: VersionComparisonQueries,
    private readonly models: DifferenceModelQueries,
  ) {}

  @FieldResolver(() => [CimFileEnum], {
    description:
      'The files whose bytes differ. One without different headers and differences differs in its preconditions, the order or division of its items, or the form of its XML.',
  })
  differentFiles(@Root() versions: ComparedVersions): Promise<readonly CimFile[]> {
    return this.comparisons.filesThatDiffer(versions);
  }

  @FieldResolver(() => [ValueChangeType], {
    description:
      'The fields in which the headers differ, as `md:Model.description`; the mRIDs of the models as `rdf:about`.',
  })
  async headers(@Root() { from, to }: ComparedVersions): Promise<readonly ValueChange[]> {
    const [before, after] = await Promise.all([from, to].map(({ id }) => this.models.ofVersion(id)));
    return (before ?? []).flatMap(({ file, header }) => {
      const other = after?.find((model) => model.file === file);
      return other ? headerChanges(file, header, other.header) : [];
    });
  }

  @FieldResolver(() => [ComparisonCountType], { description: 'Number of differences, by file.' })
  counts(@Root() versions: ComparedVersions): Promise<readonly ComparisonCount[]> {
    return this.comparisons.counts(versions);
  }

  @FieldResolver(() => ModelDifferenceConnectionType, { description: 'The differences.' })
  differences(
    @Root() versions: ComparedVersions,
    @Args() { first, after, ...filter }: ModelDifferenceArgs,
  ): Promise<Connection<ModelDifference>> {
    return this.comparisons.page(versions, filter, { first, after });
  }
}

/** Resolves the values of a difference. */
@Resolver(() => ModelDifferenceType)
export class ModelDifferenceResolver {
  constructor(private readonly comparisons: VersionComparisonQueries) {}

  @FieldResolver(() => [ValueChangeType], {
    description:
      'The different attributes and associations; a change of class as `rdf:type`, a change between `rdf:ID` and `rdf:about` as values of these.',
  })
  values(@Root() difference: ModelDifference): Promise<readonly ValueChange[]> {
    return this.comparisons.values(difference);
  }
}
