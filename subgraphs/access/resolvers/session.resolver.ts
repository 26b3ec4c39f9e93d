import { Arg, Ctx, Directive, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { ACCOUNT_ROLES, type AccountRole } from '../../../schema/roles';
import { BEARER_TOKEN_LIFETIME, type SigningKeys, issueBearerToken } from '../../server/bearer-token';
import { type CallContext, MayCall, callerOf } from '../../server/caller';
import { type RateLimit, clientNetwork, refuseLimited } from '../../server/rate-limits';
import type { AccountRepository } from '../database/account.repository';
import type { DataUserRepository, DirectoryEntry } from '../database/data-user.repository';
import { DataUserType } from './data-user.types';
import { AdmissionType, IssuedBearerTokenType, SupplierAdmissionType, ViewerType } from './session.types';

/** Limits of the session (2-decisions-a-b.md, section 2). */
export interface SessionLimits {
  /** Requests of an account. */
  readonly requests: RateLimit;
  /** Failed sign-ins from an address. */
  readonly failedSignIns: RateLimit;
  /** API keys of suppliers that are nobody's, from an address; a valid one is let in all the same. */
  readonly refusedKeys: RateLimit;
}

/** Sign-in, and whether a signed-in account is let in (2-decisions-a-b.md, section 2). */
@Resolver(() => ViewerType)
export class SessionResolver {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly dataUsers: DataUserRepository,
    private readonly signing: SigningKeys,
    private readonly limits: SessionLimits,
  ) {}

  @MayCall('anyone')
  @Mutation(() => IssuedBearerTokenType, { description: 'Signs an account in.' })
  async issueBearerToken(
    @Arg('accountId', () => String, { description: 'The account.' }) accountId: string,
    @Arg('secretKey', () => String, { description: 'Its secret.' }) secretKey: string,
    @Ctx() context: CallContext,
  ): Promise<IssuedBearerTokenType> {
    const network = clientNetwork(context.clientAddress);
    refuseLimited(await this.limits.failedSignIns.passed(network));
    const account = await this.accounts.bySecret(accountId, secretKey);
    if (account?.status !== 'active') {
      refuseLimited(await this.limits.failedSignIns.count(network));
      throw new RegisterError('AUT001');
    }
    const { account_id, role, duid, mpid, now } = account;
    const bearerToken = await issueBearerToken(this.signing, { accountId: account_id, role, duid, mpid }, now);
    return { bearerToken, expires: BEARER_TOKEN_LIFETIME };
  }

  @MayCall(...ACCOUNT_ROLES)
  @Query(() => ViewerType, { description: 'Whose token the request carries.' })
  viewer(@Ctx() context: CallContext): ViewerType {
    const { accountId, role, duid } = callerOf(context);
    return { accountId, role: role as AccountRole, duid }; // a customer, who has no account, is not let in here
  }

  @FieldResolver(() => DataUserType, { nullable: true, description: 'The directory entry of the account.' })
  async dataUser(@Root() { duid }: ViewerType): Promise<DirectoryEntry | null> {
    return duid === null ? null : this.dataUsers.byDuid(duid);
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => AdmissionType, {
    nullable: true,
    description: 'Internal: whether an account is let in at this instant.',
  })
  async admission(
    @Arg('accountId', () => String, { description: 'The account.' }) accountId: string,
  ): Promise<AdmissionType | null> {
    const account = await this.accounts.admission(accountId);
    if (!account) return null;
    const { role, duid, mpid, status, now } = account;
    const retryAfter = status === 'active' ? await this.limits.requests.count(accountId) : null;
    return { accountId, role, duid, mpid, status, now, allowed: retryAfter === null, retryAfter };
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => SupplierAdmissionType, {
    nullable: true,
    description: 'Internal: the active supplier whose API key this is (Interface D); its requests are counted.',
  })
  async supplierAdmission(
    @Arg('key', () => String, { description: 'The API key as sent.' }) key: string,
    @Ctx() { clientAddress }: CallContext,
  ): Promise<SupplierAdmissionType | null> {
    const found = await this.accounts.bySupplierKey(key);
    if (!found) {
      refuseLimited(await this.limits.refusedKeys.count(clientNetwork(clientAddress)));
      return null;
    }
    const { account_id: accountId, mpid, key_id: keyId } = found;
    return { accountId, mpid, keyId, retryAfter: await this.limits.requests.count(accountId) };
  }

  @MayCall('service')
  @Directive('@inaccessible')
  @Query(() => [ID], { description: 'Internal: which of these API keys have not been replaced; counts as no request.' })
  liveSupplierKeys(
    @Arg('keyIds', () => [ID], { description: 'Keys by their ids.' }) keyIds: string[],
  ): Promise<string[]> {
    return this.accounts.liveSupplierKeys(keyIds);
  }
}
