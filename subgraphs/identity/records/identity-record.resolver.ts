import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Logger } from 'pino';
import { UkAddress } from '../../server/graph/uk-address.types';
import { RegisterError, throwViolations } from '../../../schema/register-error';
import { IdentityRecordKey, Mpxn } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf, duidOf } from '../../server/callers/caller';
import { DamagedRows } from '../../server/damaged-rows';
import type { RegisterClock } from '../../server/database/register-clock';
import { type Idempotency, replayable } from '../../server/idempotency';
import { nullable, optional } from '../../server/graph/decorator-options';
import { IdempotencyKey } from '../../server/graph/idempotency-key.types';
import type { IdentityRecordRepository, RegisteredIdentityRecord } from './identity-record.repository';
import type * as domain from './identity-record';
import type { OwnRecords } from './own-records.repository';
import type { PasskeyRepository } from '../passkeys/passkey.repository';
import { identityRecordSearchViolations, identityRecordViolations } from './identity-record-rules';
import { isOwnedBy, withoutPersonal } from './identity-record';
import type { ContactNotes } from '../contacts/contact-notices.flow';
import type { Organisations } from '../organisations.client';
import type { PasskeyEnrolment } from '../passkeys/passkey-enrolment.flow';
import { IdentityRecordInput, IdentityRecordRegistration } from './identity-record-input.types';
import { IdentityRecord, PasskeyCredential, PiiPrincipal, PrincipalVerification } from './identity-record.types';

const WITHDRAWN =
  'The right to assert the outcome `verified` has been withdrawn from this Data User: register the record without it.';

/** Dependencies of the resolver. */
interface IdentityRecordDependencies {
  readonly records: IdentityRecordRepository;
  readonly ownRecords: OwnRecords;
  readonly passkeys: PasskeyRepository;
  readonly enrolment: PasskeyEnrolment;
  readonly contacts: ContactNotes;
  readonly organisations: Organisations;
  readonly idempotency: Idempotency;
  readonly production: boolean;
  readonly clock: RegisterClock;
  readonly logger: Logger;
}

/** Registration, reading and search of Identity Records. */
@Resolver(() => IdentityRecord)
export class IdentityRecordResolver {
  constructor(private readonly dependencies: IdentityRecordDependencies) {}

  @MayCall('data_user')
  @Query(() => IdentityRecord, nullable('An own Identity Record by its key; null when there is none.'))
  async identityRecord(
    @Arg('ref', () => IdentityRecordKey, { description: 'Key of the Identity Record.' }) ref: string,
    @Ctx() context: CallContext,
  ): Promise<domain.IdentityRecord | null> {
    const record = await this.dependencies.records.byRef(ref);
    if (record !== null) await this.dependencies.ownRecords.require(record, ref, context, 'reject-identity-read');
    return record;
  }

  @MayCall('data_user')
  @Query(() => [IdentityRecord], {
    description:
      'Own Identity Records by meter point, by e-mail address or by both, without anonymised and closed ones, newest first: at most 500. One whose personal data is damaged has none, so that it can be anonymised by its key.',
  })
  async identityRecords(
    @Arg('mpxn', () => Mpxn, optional('The meter point.')) mpxn: string | null,
    @Arg('email', () => String, optional("The customer's e-mail address.")) email: string | null,
    @Ctx() context: CallContext,
  ): Promise<domain.IdentityRecord[]> {
    throwViolations(identityRecordSearchViolations({ mpxn, email }));
    const records = await this.dependencies.records.search(duidOf(context), { mpxn, email });
    const damaged = new DamagedRows(this.dependencies.logger);
    const readable = new Set(damaged.readable(records, (record) => record.personal()).map(({ row }) => row));
    damaged.report('identity records that cannot be decrypted are listed without personal data');
    return records.map((record) => (readable.has(record) ? record : withoutPersonal(record)));
  }

  @MayCall('data_user')
  @Mutation(() => IdentityRecordRegistration, { description: 'Registers an Identity Record.' })
  async registerIdentityRecord(
    @Arg('input', () => IdentityRecordInput, { description: 'The Identity Record.' }) input: IdentityRecordInput,
    @IdempotencyKey('24 hours') idempotencyKey: string | null,
    @Ctx() context: CallContext,
  ): Promise<RegisteredIdentityRecord & { replayed: boolean }> {
    const { accountId } = callerOf(context);
    const { production, organisations, records, enrolment, contacts, idempotency, clock } = this.dependencies;
    const request = idempotency.request(accountId, 'registerIdentityRecord', idempotencyKey, input);
    const { response, replayed } = await replayable(request, async () => {
      const { returnUrls, mayAssertVerified } = await organisations.of(duidOf(context), context);
      throwViolations(identityRecordViolations(input, { production, returnUrls, now: await clock.now() }));
      if (input.principalVerification?.outcome === 'verified' && !mayAssertVerified)
        throw new RegisterError('PRM001', WITHDRAWN);
      const enrol = enrolment.initiatedBy(input, context);
      return records.register(duidOf(context), input, request, enrol, contacts);
    });
    return { ...response, replayed };
  }

  @FieldResolver(() => PiiPrincipal, nullable('The person-property relationship; null after anonymising.'))
  piiPrincipal(@Root() record: domain.IdentityRecord): domain.PiiPrincipal | null {
    return record.personal()?.piiPrincipal ?? null;
  }

  @FieldResolver(() => UkAddress, nullable('Address of the property: `piiPrincipal.address`.'))
  address(@Root() record: domain.IdentityRecord): domain.UkAddress | null {
    return record.personal()?.piiPrincipal.address ?? null;
  }

  @FieldResolver(
    () => PrincipalVerification,
    nullable('Evidence that the principal was identified; null without any, and after anonymising.'),
  )
  principalVerification(@Root() record: domain.IdentityRecord): domain.PrincipalVerification | null {
    return record.personal()?.principalVerification ?? null;
  }

  @FieldResolver(() => [PasskeyCredential], {
    description: 'Passkeys of the customer, oldest first; none after anonymising.',
  })
  credentials(@Root() record: domain.IdentityRecord): Promise<domain.PasskeyCredential[]> {
    return this.dependencies.passkeys.credentials(record.id);
  }

  /** Resolves a reference from another subgraph, for the owning Data User only. */
  async byReference({ id }: { readonly id: string }, context: CallContext): Promise<domain.IdentityRecord | null> {
    callerOf(context);
    const record = await this.dependencies.records.byId(id);
    if (record !== null && !isReadableBy(record, context)) throw new RegisterError('PRM002');
    return record;
  }
}

function isReadableBy(record: domain.IdentityRecord, context: CallContext): boolean {
  const { duid, role } = callerOf(context);
  return role === 'data_user' && duid !== null && isOwnedBy(record, duid);
}
