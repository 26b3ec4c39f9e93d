import { Field, ObjectType, registerEnumType } from 'type-graphql';
import type { CimFile } from '../rdf/difference-model';
import { CimFileEnum } from './difference-model.types';
import type { ModelWarning, ModelWarningKind } from './model-warnings';

/** Maps GraphQL names to {@link ModelWarningKind}. */
export const ModelWarningKindEnum = {
  REUSED_MRID: 'reused-mrid',
  NO_DEPENDENCY: 'no-dependency',
  CREATED_WITHOUT_ZONE: 'created-without-zone',
  UNPUBLISHED_DEPENDENCY: 'unpublished-dependency',
} as const satisfies Record<string, ModelWarningKind>;
registerEnumType(ModelWarningKindEnum, {
  name: 'ModelWarningKind',
  description: 'Kind of a warning.',
  valuesConfig: {
    REUSED_MRID: { description: 'A model with the same mRID and other contents was published before.' },
    NO_DEPENDENCY: {
      description: 'The header has no `md:Model.DependentOn`. The EQ of a base model needs none.',
    },
    CREATED_WITHOUT_ZONE: { description: '`md:Model.created` has no time zone. It is served as written.' },
    UNPUBLISHED_DEPENDENCY: { description: 'The model depends on a model that is not published in this register.' },
  },
});

@ObjectType('ModelWarning', {
  description: 'A property of a published model that its publisher should check. It did not prevent the publication.',
  simpleResolvers: true,
})
export class ModelWarningType implements ModelWarning {
  @Field(() => CimFileEnum, { description: 'The file.' }) file: CimFile;
  @Field(() => ModelWarningKindEnum, { description: 'Kind of the warning.' }) kind: ModelWarningKind;
  @Field(() => String, { description: 'The warning in words.' }) message: string;
}
