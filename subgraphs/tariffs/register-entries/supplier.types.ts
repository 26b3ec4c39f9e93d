import { Directive, Field, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { nullable, simple } from '../../server/graph/decorator-options';
import { connectionType } from '../../server/lists/connection.types';
import type { RegisterEntryStatus } from './register-entry-status';
import type * as domain from './supplier';
import { offsetPageType } from '../../server/lists/offset-page.types';
import { RegisterEntryStatusEnum } from './register-entry.types';

@Directive('@key(fields: "mpid")')
@ObjectType('Supplier', simple('The register entry of an energy supplier.'))
export class SupplierType implements Omit<domain.Supplier, 'issuer' | 'audience'> {
  @Field(() => String, { description: 'Market participant id.' }) mpid: string;
  @Field(() => String, { description: 'Legal name.' }) name: string;
  @Field(() => String, { description: 'Short trading name.' }) displayName: string;
  @Field(() => RegisterEntryStatusEnum, { description: 'Status of the entry.' }) status: RegisterEntryStatus;
  @Field(() => String, { description: 'Contact for support: an e-mail or web address, or a telephone number.' })
  support: string;
  @Field(() => String, { description: 'URL of its supplier endpoints.' }) apiUrl: string;
  @Field(() => String, nullable('URL at which consumers authorise RTI Users.')) oauthUrl: string | null;
  @Field(() => DateTime, { description: 'When the entry changed last.' }) lastModified: Date;
}

export const SupplierConnectionType = connectionType(
  'Supplier',
  'A page of the suppliers, by mpid.',
  () => SupplierType,
);

export const SupplierPageType = offsetPageType('Supplier', 'A page of the suppliers, by number.', () => SupplierType);

@InputType('SupplierFilter', { description: 'Selects suppliers.' })
export class SupplierFilterInput {
  @Field(
    () => [RegisterEntryStatusEnum],
    nullable('Only those of one of these statuses, at least one; absent or null: every status.'),
  )
  status?: RegisterEntryStatus[] | null;
}

@InputType('SupplierInput', { description: 'The register entry of a supplier, as an admin writes it.' })
export class SupplierInput implements domain.SupplierInput {
  @Field(() => String, { description: 'Market participant id: four capital letters and digits.' }) mpid: string;
  @Field(() => String, { description: 'Legal name, at most 200 characters.' }) name: string;
  @Field(() => String, { description: 'Short trading name, at most 100 characters.' }) displayName: string;
  @Field(() => String, { description: 'Contact for support, at most 200 characters.' }) support: string;
  @Field(() => String, { description: 'URL of its supplier endpoints.' }) apiUrl: string;
  @Field(() => String, nullable('URL at which consumers authorise RTI Users. Absent or null: none.'))
  oauthUrl?: string | null;
  @Field(
    () => String,
    nullable(
      "Issuer of its consumers' tokens; with audience. Absent: unchanged. Null: none. Another value and null revoke all live consents of " +
        'the supplier.',
    ),
  )
  issuer?: string | null;
  @Field(() => String, nullable('Audience of these tokens; with issuer. Absent: unchanged. Null: none.'))
  audience?: string | null;
}

@ObjectType('SavedSupplier', simple('A register entry as stored.'))
export class SavedSupplierPayload {
  @Field(() => SupplierType, { description: 'The entry.' }) supplier: domain.Supplier;
  @Field(() => Boolean, { description: 'Whether the call created the entry.' }) isNew: boolean;
}
