import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { ACCOUNT_ID_PATTERN } from '../../../schema/identifiers';
import { RegisterError, throwViolations } from '../../../schema/register-error';
import { type CallContext, MayCall, callerOf } from '../../server/callers/caller';
import { nullable, optional } from '../../server/graph/decorator-options';
import {
  connectionOf,
  rejectCursor,
  requirePageSize,
  selectionViolations,
  withTotal,
} from '../../server/lists/connection';
import type { RegisterClock } from '../../server/database/register-clock';
import { AccountRepository } from './account.repository';
import type { TerminationProgress, TerminationRepository } from './termination.repository';
import { type AccountFilter, onboardingViolations } from './account';
import {
  AccountConnectionType,
  AccountFilterType,
  AccountInputType,
  AccountSecretType,
  AccountTerminationType,
  AccountType,
} from './account.types';

const MAX_PAGE_SIZE = 500;

@ArgsType()
class AdministrationListArgs {
  @Field(() => Int, { nullable: true, defaultValue: 100, description: 'Entries of the page, 1 to 500.' }) first: number;
  @Field(() => String, optional('Cursor after which the page starts.')) after: string | null;
  @Field(() => AccountFilterType, nullable('Selects accounts.')) filter?: AccountFilter | null;
}

/** The argument `accountId` of a mutation. */
export const accountId = () => Arg('accountId', () => ID, { description: 'The account.' });

/** Administration of accounts by the back office; every change is audited. */
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
  @Query(() => AccountConnectionType, { description: 'Accounts by identifier; without a filter, all.' })
  async accounts(@Args(() => AdministrationListArgs) page: AdministrationListArgs) {
    requirePageSize(page.first, MAX_PAGE_SIZE);
    if (page.after !== null && !ACCOUNT_ID_PATTERN.test(page.after)) rejectCursor();
    const filter = page.filter ?? {};
    throwViolations(selectionViolations(filter.ids, ['filter', 'ids']));
    const rows = await this.accountRepository.accounts(page.first + 1, page.after, filter);
    return withTotal(
      connectionOf(rows, page, ({ accountId: id }) => id),
      () => this.accountRepository.count(filter),
    );
  }

  @MayCall('admin')
  @Mutation(() => AccountSecretType, { description: 'Onboards an account and returns its secret once.' })
  onboardAccount(
    @Arg('input', () => AccountInputType, { description: 'The account.' }) input: AccountInputType,
    @Ctx() context: CallContext,
  ) {
    throwViolations(onboardingViolations(input, this.production));
    return this.accountRepository.onboard(actor(context), input);
  }

  @MayCall('admin')
  @Mutation(() => AccountSecretType, {
    description:
      'Issues a new secret; the previous one remains valid for 24 hours. `revokePrevious`, for a stolen secret, ends it at once.',
  })
  rotateAccountSecret(
    @accountId() id: string,
    @Arg('revokePrevious', () => Boolean, {
      defaultValue: false,
      description:
        'Ends all earlier secrets of the account for sign-in at once, and its bearer tokens with their subscriptions. ' +
        'Its API key for Interface D is not changed: `issueSupplierApiKey` replaces that at once.',
    })
    revokePrevious: boolean,
    @Ctx() context: CallContext,
  ) {
    return this.accountRepository.rotateSecret(actor(context), id, revokePrevious);
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Suspends an account. It is rejected from the next request on.' })
  suspendAccount(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.changeStatus(actor(context), id, 'suspend');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Reactivates a suspended account.' })
  reactivateAccount(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.changeStatus(actor(context), id, 'reactivate');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Terminates an account permanently.' })
  terminateAccount(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.changeStatus(actor(context), id, 'terminate');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, {
    description:
      'Withdraws the right of a Data User to assert `verified` of Identity Records. The account remains active.',
  })
  withdrawVerificationRight(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.setVerificationRight(actor(context), id, 'withdraw');
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Restores the right of a Data User to assert `verified`.' })
  restoreVerificationRight(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.setVerificationRight(actor(context), id, 'restore');
  }

  @MayCall('admin')
  @Mutation(() => String, {
    description:
      "Moves the register's clock and returns its time. It requires the setting CLOCK_CAN_MOVE, which production does not accept.",
  })
  async setClockOffset(
    @Arg('seconds', () => Int, { description: 'Difference from the system time in seconds.' }) seconds: number,
    @Ctx() context: CallContext,
  ): Promise<string> {
    if (!this.movableClock)
      throw new RegisterError('PRM001', "The register's clock can be moved only if CLOCK_CAN_MOVE is true.");
    await this.accountRepository.moveClock(actor(context), seconds);
    return (await this.clock.now()).toISOString();
  }

  @FieldResolver(
    () => AccountTerminationType,
    nullable('Progress of the termination; null unless the account is a terminated Data User.'),
  )
  termination(@Root() { duid }: AccountType): Promise<TerminationProgress | null> {
    return duid === null ? Promise.resolve(null) : this.terminations.progress(duid);
  }
}

/** The account of the calling admin, for the audit. */
export function actor(context: CallContext): string {
  return callerOf(context).accountId;
}
