import { Field, ObjectType } from 'type-graphql';
import { simple } from '../../server/graph/decorator-options';
import { graphqlEnum } from '../../server/graph/graphql.enums';
import type { CimFile } from '../rdf/difference-model';
import { CimFileEnum } from './difference-model.types';
import type { ModelWarning, ModelWarningKind } from './model-warnings';

const ModelWarningKindEnum = graphqlEnum<ModelWarningKind>('ModelWarningKind', 'Kind of a warning.', {
  'reused-mrid': 'A model with the same mRID and other contents was published before.',
  'no-dependency': 'The header has no `md:Model.DependentOn`. The EQ of a base model needs none.',
  'created-without-zone': '`md:Model.created` has no time zone. It is served as written.',
  'unpublished-dependency': 'The model depends on a model that is not published in this register.',
});

@ObjectType(
  'ModelWarning',
  simple('A property of a published model that its publisher should check. It did not prevent the publication.'),
)
export class ModelWarningType implements ModelWarning {
  @Field(() => CimFileEnum, { description: 'The file.' }) file: CimFile;
  @Field(() => ModelWarningKindEnum, { description: 'Kind of the warning.' }) kind: ModelWarningKind;
  @Field(() => String, { description: 'The warning in words.' }) message: string;
}
