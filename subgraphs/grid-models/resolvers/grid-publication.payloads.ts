import { Field, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import type { PreparedUpload } from '../publishing/uploads';

/** GridUpload of the graph. */
@ObjectType('GridUpload', { description: 'An address to which one archive may be sent.', simpleResolvers: true })
export class GridUploadPayload implements PreparedUpload {
  @Field(() => String, { description: 'A path of the REST interface: PUT the zip to it. It is a credential.' })
  address: string;
  @Field(() => DateTime, { description: 'Until when.' }) expiresAt: Date;
}
