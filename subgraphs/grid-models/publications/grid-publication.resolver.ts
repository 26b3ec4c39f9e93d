import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { ReturnedOnce } from '../../server/graph/checked-mutations';
import { simple } from '../../server/graph/decorator-options';
import { RegisterError, type Violation } from '../../../schema/register-error';
import { DateTime } from '../../../schema/scalars';
import { seriesOf } from '../../server/callers/bearer-token';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { type BaseModelKeyInput, type PublicationKeyInput, baseModelKeyOf, publicationKeyOf } from './publication-key';
import type { UploadingAccount } from './upload-tokens';
import type { PreparedUpload, Uploads } from './uploads.flow';

/** Fields without custom scalars, so that `publicationKeyOf` returns all violations together. */
@InputType('GridPublicationInput', {
  description: 'The development project of an archive, by licence area, year and cycle.',
})
class GridPublicationInput implements PublicationKeyInput {
  @Field(() => String, { description: 'Code or alias of the licence area, case-insensitive.' }) area: string;
  @Field(() => Int, { description: 'The year of the publication, 2000 to 2100.' }) publicationYear: number;
  @Field(() => String, { description: 'The publication cycle of the year: `01` (May) or `02` (November).' })
  period: string;
  @Field(() => String, { description: 'The identifier of the project, at most 24 characters.' }) projectId: string;
}

/** Fields without custom scalars, so that `baseModelKeyOf` returns all violations together. */
@InputType('BaseModelPublicationInput', {
  description: 'The licence area of a base model, with year and cycle.',
})
class BaseModelPublicationInput implements BaseModelKeyInput {
  @Field(() => String, { description: 'Code or alias of the licence area, case-insensitive.' }) area: string;
  @Field(() => Int, { description: 'The year of the publication, 2000 to 2100.' }) publicationYear: number;
  @Field(() => String, { description: 'The publication cycle of the year: `01` (May) or `02` (November).' })
  period: string;
}

@ObjectType('GridUpload', simple('A one-time address for the upload of an archive.'))
class GridUploadPayload implements PreparedUpload {
  @ReturnedOnce()
  @Field(() => String, {
    description: 'A path of Interface C: send the zip to it with PUT. It is a credential: treat it as a secret.',
  })
  address: string;
  @Field(() => DateTime, { description: 'When the address expires.' }) expiresAt: Date;
}

/** Resolves the upload addresses at which an admin publishes archives and base models (decisions C.1). */
@Resolver()
export class GridPublicationResolver {
  constructor(private readonly uploads: Pick<Uploads, 'prepare'>) {}

  @MayCall('admin')
  @Mutation(() => GridUploadPayload, {
    description:
      'Creates a one-time address for the upload of an archive. Nothing is published until the archive is uploaded and valid.',
  })
  async prepareGridPublication(
    @Arg('input', () => GridPublicationInput, { description: 'The development project.' }) input: GridPublicationInput,
    @Ctx() context: CallContext,
  ): Promise<PreparedUpload> {
    const parsed = publicationKeyOf(input);
    if ('violations' in parsed) throw rejected(parsed.violations);
    return this.uploads.prepare(parsed.key, accountOf(context));
  }

  @MayCall('admin')
  @Mutation(() => GridUploadPayload, {
    description:
      'Creates a one-time address for the upload of a base model: a zip of the full models (`md:FullModel`) of a licence area. The former base model applies until the archive is uploaded and valid.',
  })
  async prepareBaseModelPublication(
    @Arg('input', () => BaseModelPublicationInput, { description: 'The licence area and cycle.' })
    input: BaseModelPublicationInput,
    @Ctx() context: CallContext,
  ): Promise<PreparedUpload> {
    const parsed = baseModelKeyOf(input);
    if ('violations' in parsed) throw rejected(parsed.violations);
    return this.uploads.prepare({ ...parsed.key, projectId: null }, accountOf(context));
  }
}

function accountOf(context: CallContext): UploadingAccount {
  return { accountId: callerOf(context).accountId, tokenSeries: seriesOf(context.bearer) };
}

function rejected(violations: readonly Violation[]): RegisterError {
  const [first] = violations;
  return new RegisterError(first?.code ?? 'VAL003', first?.message, { violations });
}
