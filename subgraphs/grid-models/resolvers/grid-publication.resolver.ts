import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import { publicationPlaceOf } from '../domain/publication-place';
import type { PreparedUpload, Uploads } from '../publishing/uploads';
import { GridPublicationInput } from './grid-publication.inputs';
import { GridUploadPayload } from './grid-publication.payloads';

/** How an admin publishes an archive (3-decisions-c-d.md, C.1). */
@Resolver()
export class GridPublicationResolver {
  constructor(private readonly uploads: Pick<Uploads, 'prepare'>) {}

  @MayCall('admin')
  @Mutation(() => GridUploadPayload, {
    description:
      'A one-time address to which the archive is sent. Nothing is published before the archive is there and valid.',
  })
  async prepareGridPublication(
    @Arg('input', () => GridPublicationInput, { description: 'Where it is published.' }) input: GridPublicationInput,
    @Ctx() context: CallContext,
  ): Promise<PreparedUpload> {
    const told = publicationPlaceOf(input);
    if ('place' in told) return this.uploads.prepare(told.place, callerOf(context).accountId);
    const { violations } = told;
    const [first] = violations;
    throw new RegisterError(first?.code ?? 'VAL003', first?.message, { violations });
  }
}
