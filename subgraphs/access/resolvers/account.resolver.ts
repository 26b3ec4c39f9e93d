import { Arg, Args, ArgsType, Ctx, Field, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { RegisterError, refuse } from '../../../schema/register-error';
import { Uri } from '../../../schema/scalars';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import type { RegisterClock } from '../../server/register-clock';
import { AccountRepository } from '../database/account.repository';
import type { DataType } from '../domain/access-record';
import { type AccountSettings, onboardingViolations, settingsViolations } from '../domain/account';
import { DataTypeEnum } from './access-record.enums';
import {
  AccountConnectionType,
  AccountInputType,
  AccountSecretType,
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
  ) {}

  @MayCall('admin')
  @Query(() => AccountConnectionType, { description: 'All accounts.' })
  async accounts(@Args(() => AdministrationListArgs) { first, after }: AdministrationListArgs) {
    const [rows, totalCount] = await this.accountRepository.accounts(bounded(first) + 1, after);
    return { ...page(rows, first, (account) => account.accountId), totalCount };
  }

  @MayCall('admin')
  @Query(() => AuditEntryConnectionType, { description: 'The audit, newest first.' })
  async auditEntries(@Args(() => AdministrationListArgs) { first, after }: AdministrationListArgs) {
    if (after !== null && !/^\d{1,18}$/.test(after))
      refuse([{ code: 'VAL001', path: ['after'], message: 'is not a cursor of this list' }]);
    return page(await this.accountRepository.auditEntries(bounded(first) + 1, after), first, (entry) => entry.id);
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
    @Arg('dataTypes', () => [DataTypeEnum], { description: 'The data categories.' }) dataTypesSupported: DataType[],
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { dataTypesSupported });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: "Sets the communications operator's reference of the organisation." })
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
  @Mutation(() => String, { description: "Moves the register's clock, outside production; answers its time." })
  async setClockOffset(
    @Arg('seconds', () => Int, { description: 'Seconds against real time.' }) seconds: number,
    @Ctx() context: CallContext,
  ): Promise<string> {
    if (this.production) throw new RegisterError('PRM001', "The register's clock cannot be moved in production.");
    const now = await this.clock.setOffset(seconds);
    await this.accountRepository.note(actor(context), 'set-clock-offset', 'register', { seconds });
    return now.toISOString();
  }

  private set(context: CallContext, id: string, settings: AccountSettings) {
    refuse(settingsViolations(settings, this.production));
    return this.accountRepository.set(actor(context), id, settings);
  }
}

function actor(context: CallContext): string {
  return callerOf(context).accountId;
}

function bounded(first: number): number {
  if (first < 1 || first > LARGEST_PAGE)
    refuse([{ code: 'VAL003', path: ['first'], message: `must be 1 to ${LARGEST_PAGE}` }]);
  return first;
}

function page<Node>(rows: readonly Node[], first: number, cursorOf: (node: Node) => string) {
  const edges = rows.slice(0, first).map((node) => ({ cursor: cursorOf(node), node }));
  const pageInfo = { endCursor: edges.at(-1)?.cursor ?? null, hasNextPage: rows.length > first };
  return { edges, nodes: edges.map(({ node }) => node), pageInfo };
}
