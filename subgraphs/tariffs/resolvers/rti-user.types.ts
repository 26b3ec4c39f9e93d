import { Directive, Field, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { connectionType } from '../../server/connection.types';
import type { StoredRtiUser } from '../database/rti-user-lists';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import type * as domain from '../domain/rti-user';
import { offsetPageType } from './offset-page.types';
import { RegisterEntryStatusEnum } from './tariff.enums';

@ObjectType('RtiContact', { description: 'How people at an RTI User are reached.', simpleResolvers: true })
export class RtiContactType implements domain.RtiContact {
  @Field(() => String, { nullable: true, description: 'Who it is.' }) name?: string | null;
  @Field(() => String, { nullable: true, description: 'E-mail address.' }) email?: string | null;
  @Field(() => String, { nullable: true, description: 'Telephone number.' }) telephone?: string | null;
}

@Directive('@key(fields: "userId")')
@ObjectType('RtiUser', {
  description: 'The register entry of a user of the real-time tariff interface.',
  simpleResolvers: true,
})
export class RtiUserType implements Omit<domain.RtiUser, 'webhookUrl' | 'contact'> {
  @Field(() => String, { description: 'Its identifier, which the register issues.' }) userId: string;
  @Field(() => String, { description: 'Legal name.' }) name: string;
  @Field(() => String, { description: 'Short trading name.' }) displayName: string;
  @Field(() => RegisterEntryStatusEnum, { description: 'Status of the entry.' }) status: RegisterEntryStatus;
  @Field(() => String, { description: 'Where help is given: a mail or web address, or a telephone number.' })
  support: string;
  @Field(() => DateTime, { description: 'When the entry changed last.' }) lastModified: Date;
}

/** RtiUserConnection of the graph. */
export const RtiUserConnectionType = connectionType('RtiUser', 'A page of the RTI Users, by id.', () => RtiUserType);

/** RtiUserPage of the graph. */
export const RtiUserPageType = offsetPageType('RtiUser', 'A page of the RTI Users, by number.', () => RtiUserType);

@InputType('RtiUserFilter', { description: 'Which RTI Users.' })
export class RtiUserFilterInput {
  @Field(() => [RegisterEntryStatusEnum], { nullable: true, description: 'Only those of one of these statuses.' })
  status?: RegisterEntryStatus[] | null;
}

@InputType('RtiContactInput', { description: 'How people at an RTI User are reached.' })
export class RtiContactInput implements domain.RtiContact {
  @Field(() => String, { nullable: true, description: 'Who it is.' }) name?: string | null;
  @Field(() => String, { nullable: true, description: 'E-mail address.' }) email?: string | null;
  @Field(() => String, { nullable: true, description: 'Telephone number.' }) telephone?: string | null;
}

@InputType('RtiUserInput', { description: 'The register entry of an RTI User, as an admin writes it.' })
export class RtiUserInput implements domain.RtiUserInput {
  @Field(() => String, { nullable: true, description: 'Its identifier; without one a new entry is made.' })
  userId?: string | null;
  @Field(() => String, { description: 'Legal name, at most 200 characters.' }) name: string;
  @Field(() => String, { description: 'Short trading name, at most 100 characters.' }) displayName: string;
  @Field(() => String, { description: 'Where help is given, at most 200 characters.' }) support: string;
  @Field(() => String, { nullable: true, description: 'Where it takes events.' }) webhookUrl?: string | null;
  @Field(() => RtiContactInput, { nullable: true, description: 'Whom suppliers turn to.' })
  contact?: RtiContactInput | null;
}

@ObjectType('SavedRtiUser', { description: 'A register entry as it was saved.', simpleResolvers: true })
export class SavedRtiUserPayload {
  @Field(() => RtiUserType, { description: 'The entry.' }) rtiUser: StoredRtiUser;
  @Field(() => Boolean, { description: 'Whether it was not there before.' }) isNew: boolean;
}
