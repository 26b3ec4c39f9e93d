import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { RegisterError, refuse } from '../../../schema/register-error';
import { Uri } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import { connectionOf, refuseCursor, requirePageSize } from '../../server/connection';
import type { RegisterClock } from '../../server/register-clock';
import { AccountRepository } from '../database/account.repository';
import type { TerminationProgress, TerminationRepository } from '../database/termination.repository';
import type { DataType } from '../domain/access-record';
import { type AccountSettings, onboardingViolations, settingsViolations } from '../domain/account';
import { DataTypeEnum } from '../../server/data-type.enums';
import {
  AccountConnectionType,
  AccountInputType,
  AccountSecretType,
  AccountTerminationType,
  AccountType,
  AuditEntryConnectionType,
} from './account.types';

const LARGEST_PAGE = 500;

@ArgsType()
class AdministrationListArgs {
  @Field(() => Int, { nullable: true, defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, { nullable: true, defaultValue: null, description: 'Cursor after which the page begins.' })
  after: string | null;
}

const accountId = () => Arg('accountId', () => ID, { description: 'The account.' });

/** Administration of accounts by the back office (2-decisions-a-b.md, section 2); every change is audited. */
@Resolver(() => AccountType)
export class AccountResolver {
  constructor(
    private readonly accountRepository: AccountRepository,
    private readonly clock: RegisterClock,
    private readonly production: boolean,
    private readonly terminations: TerminationRepository,
    private readonly movableClock: boolean,
  ) {}

  @MayCall('admin')
  @Query(() => AccountConnectionType, { description: 'All accounts.' })
  async accounts(@Args(() => AdministrationListArgs) page: AdministrationListArgs) {
    requirePageSize(page.first, LARGEST_PAGE);
    const [rows, totalCount] = await this.accountRepository.accounts(page.first + 1, page.after);
    return Object.assign(
      connectionOf(rows, page, ({ accountId: id }) => id),
      { totalCount },
    );
  }

  @MayCall('admin')
  @Query(() => AuditEntryConnectionType, { description: 'The audit, newest first.' })
  async auditEntries(@Args(() => AdministrationListArgs) page: AdministrationListArgs) {
    requirePageSize(page.first, LARGEST_PAGE);
    if (page.after !== null && !/^\d{1,18}$/.test(page.after)) refuseCursor();
    const rows = await this.accountRepository.auditEntries(page.first + 1, page.after);
    return connectionOf(rows, page, ({ id }) => id);
  }

  @MayCall('admin')
  @Mutation(() => AccountSecretType, { description: 'Onboards an account; its secret is shown once.' })
  onboardAccount(
    @Arg('input', () => AccountInputType, { description: 'The account.' }) input: AccountInputType,
    @Ctx() context: CallContext,
  ) {
    refuse(onboardingViolations(input, this.production));
    return this.accountRepository.onboard(actor(context), input);
  }

  @MayCall('admin')
  @Mutation(() => AccountSecretType, { description: 'Issues a new secret; the old one works for 24 hours more.' })
  rotateAccountSecret(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.rotateSecret(actor(context), id);
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Suspends an account, with effect at once.' })
  suspendAccount(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.changeStatus(actor(context), id, 'suspend');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Lets a suspended account in again.' })
  reactivateAccount(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.changeStatus(actor(context), id, 'reactivate');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Terminates an account for good.' })
  terminateAccount(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.changeStatus(actor(context), id, 'terminate');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, {
    description:
      'Withdraws the right of a Data User to assert `verified` of Identity Records, with effect at once; it stays active otherwise.',
  })
  withdrawVerificationRight(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.setVerificationRight(actor(context), id, 'withdraw');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Gives a Data User the right back to assert `verified`.' })
  restoreVerificationRight(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.setVerificationRight(actor(context), id, 'restore');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets where the organisation is reached.' })
  setContactUrl(
    @accountId() id: string,
    @Arg('contactUrl', () => Uri, { description: 'The URL.' }) contactUrl: string,
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { contactUrl });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets the privacy notice of the organisation.' })
  setPrivacyUrl(
    @accountId() id: string,
    @Arg('privacyUrl', () => Uri, { description: 'The URL.' }) privacyUrl: string,
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { privacyUrl });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets the data categories that the organisation handles.' })
  setDataTypesSupported(
    @accountId() id: string,
    @Arg('dataTypesSupported', () => [DataTypeEnum], { description: 'The data categories, each once.' })
    dataTypesSupported: DataType[],
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { dataTypesSupported });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, {
    description:
      "Sets the communications operator's reference of the organisation, which claims what was discovered of it where it has ACTIVE " +
      'access records.',
  })
  setOrganisationReference(
    @accountId() id: string,
    @Arg('organisationReference', () => String, { description: 'The reference.' }) organisationReference: string,
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { organisationReference });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets the URLs to which customers may be sent back.' })
  setReturnUrls(
    @accountId() id: string,
    @Arg('returnUrls', () => [Uri], { description: 'The URLs; all others are refused.' }) returnUrls: string[],
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { returnUrls });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets the OpenID Connect client at a supplier.' })
  setSupplierOAuth(
    @accountId() id: string,
    @Arg('issuer', () => Uri, { description: "The supplier's issuer." }) oauthIssuer: string,
    @Arg('clientId', () => String, { description: "The register's client there." }) oauthClientId: string,
    @Arg('clientSecret', () => String, { description: 'Its secret; kept encrypted, never shown.' })
    clientSecret: string,
    @Ctx() context: CallContext,
  ) {
    refuse(settingsViolations({ oauthIssuer, oauthClientId }, this.production));
    return this.accountRepository.setSupplierOAuth(actor(context), id, oauthIssuer, oauthClientId, clientSecret);
  }

  @MayCall('admin')
  @Mutation(() => AccountSecretType, {
    description: 'Issues the API key of a supplier, shown once; the old one ends at once.',
  })
  issueSupplierApiKey(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.issueSupplierApiKey(actor(context), id);
  }

  @MayCall('admin')
  @Mutation(() => String, {
    description:
      "Moves the register's clock, where CLOCK_CAN_MOVE is true, which production refuses; answers its time.",
  })
  async setClockOffset(
    @Arg('seconds', () => Int, { description: 'Seconds against real time.' }) seconds: number,
    @Ctx() context: CallContext,
  ): Promise<string> {
    if (!this.movableClock)
      throw new RegisterError('PRM001', "The register's clock can only be moved where CLOCK_CAN_MOVE is true.");
    const now = await this.clock.setOffset(seconds);
    await this.accountRepository.note(actor(context), 'set-clock-offset', 'register', { seconds });
    return now.toISOString();
  }

  @FieldResolver(() => AccountTerminationType, {
    nullable: true,
    description: 'The progress of its termination; null for what is no terminated Data User.',
  })
  termination(@Root() { duid }: AccountType): Promise<TerminationProgress | null> {
    return duid === null ? Promise.resolve(null) : this.terminations.progress(duid);
  }

  private set(context: CallContext, id: string, settings: AccountSettings) {
    refuse(settingsViolations(settings, this.production));
    return this.accountRepository.set(actor(context), id, settings);
  }
}

function actor(context: CallContext): string {
  return callerOf(context).accountId;
}
