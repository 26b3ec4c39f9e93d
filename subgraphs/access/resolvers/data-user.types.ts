import { Directive, Field, ObjectType } from 'type-graphql';
import { DateTime, Duid, Uri } from '../../../schema/scalars';
import type { DataType } from '../domain/access-record';
import type { AccountStatus } from '../domain/account';
import { DataTypeEnum } from '../../server/data-type.enums';
import { DataUserStatusEnum } from './access-record.enums';

@Directive('@key(fields: "duid")')
@ObjectType('DataUser', {
  description: 'The public directory entry of a Data User organisation.',
  simpleResolvers: true,
})
export class DataUserType {
  @Field(() => Duid, { description: 'Its identifier.' }) duid: string;
  @Field(() => String, { description: 'Name of the organisation.' }) displayName: string;
  @Field(() => DataUserStatusEnum, { description: 'Whether it is in good standing.' }) status: AccountStatus;
  @Field(() => DateTime, { description: 'When it was onboarded.' }) registeredAt: Date;
  @Field(() => DateTime, { nullable: true, description: 'Since when it is suspended.' }) suspendedAt: Date | null;
  @Field(() => Uri, { description: 'Where to reach it.' }) contactUrl: string;
  @Field(() => Uri, { nullable: true, description: 'Its privacy notice.' }) privacyUrl: string | null;
  @Field(() => [DataTypeEnum], { description: 'The data categories it handles.' }) dataTypesSupported: DataType[];
}
