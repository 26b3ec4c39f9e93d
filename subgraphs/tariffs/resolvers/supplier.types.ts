import { Directive, Field, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../../../schema/scalars';
import { connectionType } from '../../server/connection.types';
import type { RegisterEntryStatus } from '../domain/register-entry-status';
import type * as domain from '../domain/supplier';
import { offsetPageType } from './offset-page.types';
import { RegisterEntryStatusEnum } from './tariff.enums';

@Directive('@key(fields: "mpid")')
@ObjectType('Supplier', { description: 'The register entry of an energy supplier.', simpleResolvers: true })
export class SupplierType implements Omit<domain.Supplier, 'issuer' | 'audience'> {
  @Field(() => String, { description: 'Market participant id.' }) mpid: string;
  @Field(() => String, { description: 'Legal name.' }) name: string;
  @Field(() => String, { description: 'Short trading name.' }) displayName: string;
  @Field(() => RegisterEntryStatusEnum, { description: 'Status of the entry.' }) status: RegisterEntryStatus;
  @Field(() => String, { description: 'Where help is given: a mail or web address, or a telephone number.' })
  support: string;
  @Field(() => String, { description: 'Address of its supplier endpoints.' }) apiUrl: string;
  @Field(() => String, { nullable: true, description: 'Address where consumers authorise.' }) oauthUrl: string | null;
  @Field(() => DateTime, { description: 'When the entry changed last.' }) lastModified: Date;
}

/** SupplierConnection of the graph. */
export const SupplierConnectionType = connectionType(
  'Supplier',
  'A page of the suppliers, by mpid.',
  () => SupplierType,
);

/** SupplierPage of the graph. */
export const SupplierPageType = offsetPageType('Supplier', 'A page of the suppliers, by number.', () => SupplierType);

@InputType('SupplierFilter', { description: 'Which suppliers.' })
export class SupplierFilterInput {
  @Field(() => [RegisterEntryStatusEnum], { nullable: true, description: 'Only those of one of these statuses.' })
  status?: RegisterEntryStatus[] | null;
}

@InputType('SupplierInput', { description: 'The register entry of a supplier, as an admin writes it.' })
export class SupplierInput implements domain.SupplierInput {
  @Field(() => String, { description: 'Market participant id: four capital letters and digits.' }) mpid: string;
  @Field(() => String, { description: 'Legal name, at most 200 characters.' }) name: string;
  @Field(() => String, { description: 'Short trading name, at most 100 characters.' }) displayName: string;
  @Field(() => String, { description: 'Where help is given, at most 200 characters.' }) support: string;
  @Field(() => String, { description: 'Address of its supplier endpoints.' }) apiUrl: string;
  @Field(() => String, { nullable: true, description: 'Address where consumers authorise.' }) oauthUrl?: string | null;
  @Field(() => String, { nullable: true, description: "Issuer of its consumers' tokens; with audience." })
  issuer?: string | null;
  @Field(() => String, { nullable: true, description: 'Audience of these tokens; with issuer.' })
  audience?: string | null;
}

@ObjectType('SavedSupplier', { description: 'A register entry as it was saved.', simpleResolvers: true })
export class SavedSupplierPayload {
  @Field(() => SupplierType, { description: 'The entry.' }) supplier: domain.Supplier;
  @Field(() => Boolean, { description: 'Whether it was not there before.' }) isNew: boolean;
}
