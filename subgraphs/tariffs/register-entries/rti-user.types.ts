import { Directive, Field, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { nullable, simple } from '../../server/graph/decorator-options';
import { connectionType } from '../../server/lists/connection.types';
import type { StoredRtiUser } from './rti-user.queries';
import type { RegisterEntryStatus } from './register-entry-status';
import type * as domain from './rti-user';
import { offsetPageType } from '../../server/lists/offset-page.types';
import { RegisterEntryStatusEnum } from './register-entry.types';

@ObjectType('RtiContact', simple('The contact of an RTI User.'))
@InputType('RtiContactInput', { description: 'The contact of an RTI User.' })
export class RtiContactType implements domain.RtiContact {
  @Field(() => String, nullable('Name of the person or team.')) name?: string | null;
  @Field(() => String, nullable('E-mail address.')) email?: string | null;
  @Field(() => String, nullable('Telephone number.')) telephone?: string | null;
}

@Directive('@key(fields: "userId")')
@ObjectType('RtiUser', simple('The register entry of a user of the real-time tariff interface.'))
export class RtiUserType implements Omit<domain.RtiUser, 'webhookUrl' | 'contact'> {
  @Field(() => String, { description: 'Its identifier, which the register issues.' }) userId: string;
  @Field(() => String, { description: 'Legal name.' }) name: string;
  @Field(() => String, { description: 'Short trading name.' }) displayName: string;
  @Field(() => RegisterEntryStatusEnum, { description: 'Status of the entry.' }) status: RegisterEntryStatus;
  @Field(() => String, { description: 'Contact for support: an e-mail or web address, or a telephone number.' })
  support: string;
  @Field(() => DateTime, { description: 'When the entry changed last.' }) lastModified: Date;
}

export const RtiUserConnectionType = connectionType('RtiUser', 'A page of the RTI Users, by id.', () => RtiUserType);

export const RtiUserPageType = offsetPageType('RtiUser', 'A page of the RTI Users, by number.', () => RtiUserType);

@InputType('RtiUserFilter', { description: 'Selects RTI Users.' })
export class RtiUserFilterInput {
  @Field(
    () => [RegisterEntryStatusEnum],
    nullable('Only those of one of these statuses, at least one; absent or null: every status.'),
  )
  status?: RegisterEntryStatus[] | null;
}

@InputType('RtiUserInput', { description: 'The register entry of an RTI User, as an admin writes it.' })
export class RtiUserInput implements domain.RtiUserInput {
  @Field(() => String, nullable('Its identifier; absent for a new entry.')) userId?: string | null;
  @Field(() => String, { description: 'Legal name, at most 200 characters.' }) name: string;
  @Field(() => String, { description: 'Short trading name, at most 100 characters.' }) displayName: string;
  @Field(() => String, { description: 'Contact for support, at most 200 characters.' }) support: string;
  @Field(() => String, nullable('URL for events.')) webhookUrl?: string | null;
  @Field(() => RtiContactType, nullable('Contact for suppliers.')) contact?: RtiContactType | null;
}

@ObjectType('SavedRtiUser', simple('A register entry as stored.'))
export class SavedRtiUserPayload {
  @Field(() => RtiUserType, { description: 'The entry.' }) rtiUser: StoredRtiUser;
  @Field(() => Boolean, { description: 'Whether the call created the entry.' }) isNew: boolean;
}
