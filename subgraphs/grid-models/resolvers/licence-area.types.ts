import { Field, ObjectType } from 'type-graphql';
import type { LicenceArea } from '../domain/licence-areas';

/** LicenceArea of the graph (3-decisions-c-d.md, C.4). */
@ObjectType('LicenceArea', { description: 'A licence area of a distribution network operator.', simpleResolvers: true })
export class LicenceAreaType implements LicenceArea {
  @Field(() => String, { description: 'Its code: the host label between `ltds.` and the next dot.' }) code: string;
  @Field(() => String, { description: 'The name of the area.' }) name: string;
  @Field(() => String, { description: 'The group that operates it.' }) group: string;
  @Field(() => String, { description: 'The distributor identifier, two digits.' }) distributorId: string;
  @Field(() => String, { description: 'The GSP group, one letter.' }) gspGroup: string;
  @Field(() => [String], { description: 'Other codes that name the area.' }) aliases: readonly string[];
}
