import { Directive, Field, InputType, ObjectType } from 'type-graphql';
import { optional, simple } from './decorator-options';

/** UKAddress of the graph: subgraphs that have it compose only while it is the same. */
@ObjectType({ simpleResolvers: true })
@InputType('UKAddressInput', { description: 'A postal address in the United Kingdom.' })
export class UkAddressInput {
  @Field(() => String, { description: 'First line, at most 100 characters.' }) addressLine1: string;
  @Field(() => String, optional('Second line.')) addressLine2: string | null;
  @Field(() => String, { description: 'Town or city.' }) townCity: string;
  @Field(() => String, optional('County.')) county: string | null;
  @Field(() => String, { description: 'Postcode in capitals.' }) postcode: string;
}

/** A class of its own, because an input type cannot be `@shareable`. */
@Directive('@shareable')
@ObjectType('UKAddress', simple('A postal address in the United Kingdom.'))
export class UkAddress extends UkAddressInput {}
