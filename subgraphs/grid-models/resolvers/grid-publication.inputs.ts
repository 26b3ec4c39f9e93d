import { Field, InputType, Int } from 'type-graphql';
import type { PublicationPlaceInput } from '../domain/publication-place';

/** GridPublicationInput of the graph: its violations are told all together. */
@InputType('GridPublicationInput', { description: 'Where an archive is published.' })
export class GridPublicationInput implements PublicationPlaceInput {
  @Field(() => String, { description: 'Code or alias of the licence area, in any case.' }) area: string;
  @Field(() => Int, { description: 'The year of the publication, 2000 to 2100.' }) publicationYear: number;
  @Field(() => String, { description: 'Its cycle: `01` (May) or `02` (November).' }) period: string;
  @Field(() => String, { description: 'The identifier of the project, at most 24 characters.' }) projectId: string;
}
