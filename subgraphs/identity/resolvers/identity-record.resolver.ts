import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { RegisterError, refuse } from '../../../schema/register-error';
import { IdentityRecordKey, Mpxn } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/caller';
import type { Idempotency } from '../../server/idempotency';
import type { IdentityRecordRepository, RegisteredIdentityRecord } from '../database/identity-record.repository';
import type * as domain from '../domain/identity-record';
import type { PasskeyRepository } from '../database/passkey.repository';
import { identityRecordViolations } from '../domain/identity-record-rules';
import { identityRecordSearchViolations } from '../domain/identity-record-search';
import { isOwnedBy } from '../domain/ownership';
import type { ContactNotes } from '../contacts/contact-notes';
import type { Organisations } from '../organisations';
import type { PasskeyEnrolment } from '../reidentification/passkey-enrolment';
import { IdentityRecordInput } from './identity-record-input.types';
import {
  IdentityRecord,
  PasskeyCredential,
  PiiPrincipal,
  PrincipalVerification,
  UkAddress,
} from './identity-record.types';
import { IdentityRecordRegistration } from './identity-record-registration.types';

const WITHDRAWN =
  'The right to assert the outcome `verified` has been withdrawn from this Data User: register the record without it.';

/** What Identity Records are registered and read with. */
export interface IdentityRecordParts {
  readonly records: IdentityRecordRepository;
  readonly passkeys: PasskeyRepository;
  readonly enrolment: PasskeyEnrolment;
  readonly contacts: ContactNotes;
  readonly organisations: Organisations;
  readonly idempotency: Idempotency;
  readonly production: boolean;
}

/** Identity Records: registering, reading and finding them. */
@Resolver(() => IdentityRecord)
export class IdentityRecordResolver {
  constructor(private readonly parts: IdentityRecordParts) {}

  @MayCall('data_user')
  @Query(() => IdentityRecord, {
    nullable: true,
    description: 'An own Identity Record by its key; null when there is none.',
  })
  async identityRecord(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Ctx() context: CallContext,
  ): Promise<domain.IdentityRecord | null> {
    return ownOrNone(await this.parts.records.byRef(ref), context);
  }

  @MayCall('data_user')
  @Query(() => [IdentityRecord], {
    description:
      'Own live Identity Records by meter point, by e-mail address or by both, newest first: the newest 500, older ones are left out.',
  })
  async identityRecords(
    @Arg('mpxn', () => Mpxn, { nullable: true, defaultValue: null, description: 'The meter point.' })
    mpxn: string | null,
    @Arg('email', () => String, { nullable: true, defaultValue: null, description: "The customer's e-mail address." })
    email: string | null,
    @Ctx() context: CallContext,
  ): Promise<domain.IdentityRecord[]> {
    refuse(identityRecordSearchViolations({ mpxn, email }));
    return this.parts.records.search(duidOf(context), { mpxn, email });
  }

  @MayCall('data_user')
  @Mutation(() => IdentityRecordRegistration, { description: 'Registers an Identity Record.' })
  async registerIdentityRecord(
    @Arg('input', () => IdentityRecordInput, { description: 'The Identity Record.' }) input: IdentityRecordInput,
    @Arg('idempotencyKey', () => String, {
      nullable: true,
      defaultValue: null,
      description: 'Makes a repeated request safe for 24 hours: the same key and input are answered the same.',
    })
    idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<RegisteredIdentityRecord & { replayed: boolean }> {
    const { accountId } = callerOf(context);
    const request = this.parts.idempotency.request(accountId, 'registerIdentityRecord', idempotencyKey, input);
    const kept = await this.parts.records.recallKept(request);
    if (kept) return { ...kept, replayed: true };
    refuse(identityRecordViolations(input, this.parts));
    await this.requireRight(input, context);
    const enrol = await this.parts.enrolment.initiatedBy(input, context);
    return this.parts.records.register(duidOf(context), input, request, enrol, this.parts.contacts);
  }

  @FieldResolver(() => PiiPrincipal, {
    nullable: true,
    description: 'The person-property relationship; null once anonymised.',
  })
  piiPrincipal(@Root() record: domain.IdentityRecord): domain.PiiPrincipal | null {
    return record.personal()?.piiPrincipal ?? null;
  }

  @FieldResolver(() => UkAddress, { nullable: true, description: 'Address of the property: `piiPrincipal.address`.' })
  address(@Root() record: domain.IdentityRecord): domain.UkAddress | null {
    return record.personal()?.piiPrincipal.address ?? null;
  }

  @FieldResolver(() => PrincipalVerification, {
    nullable: true,
    description: 'Evidence that the principal was identified; null without any, and once anonymised.',
  })
  principalVerification(@Root() record: domain.IdentityRecord): domain.PrincipalVerification | null {
    return record.personal()?.principalVerification ?? null;
  }

  @FieldResolver(() => [PasskeyCredential], {
    description: 'Passkeys of the customer, oldest first; none once anonymised.',
  })
  credentials(@Root() record: domain.IdentityRecord): Promise<domain.PasskeyCredential[]> {
    return this.parts.passkeys.credentials(record.id);
  }

  /** Refuses (PRM001) `verified` of a Data User from which an admin has withdrawn the right to assert it. */
  private async requireRight({ principalVerification }: domain.NewIdentityRecord, context: CallContext): Promise<void> {
    if (principalVerification?.outcome !== 'verified') return;
    const { mayAssertVerified } = await this.parts.organisations.of(duidOf(context), context);
    if (!mayAssertVerified) throw new RegisterError('PRM001', WITHDRAWN);
  }

  /** Answers a reference that another subgraph made: to the owning Data User only. */
  async byReference({ id }: { readonly id: string }, context: CallContext): Promise<domain.IdentityRecord | null> {
    callerOf(context);
    return ownOrNone(await this.parts.records.byId(id), context);
  }
}

/** PRM002 for anyone but the owning Data User, whoever else it is. */
function ownOrNone(record: domain.IdentityRecord | null, context: CallContext): domain.IdentityRecord | null {
  const { duid, role } = callerOf(context);
  if (record === null || (role === 'data_user' && duid !== null && isOwnedBy(record, duid))) return record;
  throw new RegisterError('PRM002');
}
