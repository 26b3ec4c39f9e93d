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

/** Identity Records: registering, reading and finding them. */
@Resolver(() => IdentityRecord)
export class IdentityRecordResolver {
  constructor(
    private readonly records: IdentityRecordRepository,
    private readonly passkeys: PasskeyRepository,
    private readonly enrolment: PasskeyEnrolment,
    private readonly idempotency: Idempotency,
    private readonly production: boolean,
  ) {}

  @MayCall('data_user')
  @Query(() => IdentityRecord, {
    nullable: true,
    description: 'An own Identity Record by its key; null when there is none.',
  })
  async identityRecord(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Ctx() context: CallContext,
  ): Promise<domain.IdentityRecord | null> {
    return ownOrNone(await this.records.byRef(ref), context);
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
    return this.records.search(duidOf(context), { mpxn, email });
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
    const request = this.idempotency.request(accountId, 'registerIdentityRecord', idempotencyKey, input);
    const kept = await this.records.recallKept(request);
    if (kept) return { ...kept, replayed: true };
    refuse(identityRecordViolations(input, { production: this.production }));
    const enrol = await this.enrolment.initiatedBy(input, context);
    return this.records.register(duidOf(context), input, request, enrol);
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
    return this.passkeys.credentials(record.id);
  }

  /** Answers a reference that another subgraph made: to the owning Data User only. */
  async byReference({ id }: { readonly id: string }, context: CallContext): Promise<domain.IdentityRecord | null> {
    callerOf(context);
    return ownOrNone(await this.records.byId(id), context);
  }
}

/** PRM002 for anyone but the owning Data User, whoever else it is. */
function ownOrNone(record: domain.IdentityRecord | null, context: CallContext): domain.IdentityRecord | null {
  const { duid, role } = callerOf(context);
  if (record === null || (role === 'data_user' && duid !== null && isOwnedBy(record, duid))) return record;
  throw new RegisterError('PRM002');
}
