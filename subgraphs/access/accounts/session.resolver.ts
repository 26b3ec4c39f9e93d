import { Arg, Ctx, Directive, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { RegisterError } from '../../../schema/register-error';
import { ACCOUNT_ROLES, type AccountRole } from '../../../schema/roles';
import {
  BEARER_TOKEN_LIFETIME,
  type SigningKeys,
  issueBearerToken,
  requireCurrent,
} from '../../server/callers/bearer-token';
import { type CallContext, IDENTIFYING_SERVICES, MayCall, callerOf } from '../../server/callers/caller';
import { NotCheckable } from '../../server/graph/checked-mutations';
import { nullable } from '../../server/graph/decorator-options';
import { IS_COUNTED, type RateLimit, rejectLimited } from '../../server/callers/rate-limits';
import { clientNetwork } from '../../server/callers/resource-owner';
import type { AccountAdmission, AdmissionRow } from './account-admission.queries';
import type { DataUserRepository, DirectoryEntry } from './data-user.repository';
import { DataUserType } from './data-user.resolver';
import {
  AccountTokenInput,
  AdmissionType,
  IssuedBearerTokenType,
  SupplierAdmissionType,
  ViewerType,
} from './session.types';

/** Rate limits of sign-in and admission. */
export interface SessionLimits {
  /** Requests of an account. */
  readonly requests: RateLimit;
  /** Failed sign-ins from a client network. */
  readonly failedSignIns: RateLimit;
  /** Unknown API keys of suppliers from a client network. Requests with a valid key are not limited by it. */
  readonly unknownKeys: RateLimit;
}

const TOO_MANY_FAILURES = 'Too many failed sign-ins from this network.';

/** Sign-in of accounts, and admission of their requests. */
@Resolver(() => ViewerType)
export class SessionResolver {
  constructor(
    private readonly accounts: AccountAdmission,
    private readonly dataUsers: DataUserRepository,
    private readonly signing: SigningKeys,
    private readonly limits: SessionLimits,
  ) {}

  @NotCheckable('it issues a token')
  @MayCall('anyone')
  @Mutation(() => IssuedBearerTokenType, { description: 'Signs an account in.' })
  async issueBearerToken(
    @Arg('accountId', () => String, { description: 'The account.' }) accountId: string,
    @Arg('secretKey', () => String, { description: 'Its secret.' }) secretKey: string,
    @Ctx() context: CallContext,
  ): Promise<IssuedBearerTokenType> {
    const network = clientNetwork(context.clientAddress);
    rejectLimited(await this.limits.failedSignIns.passed(network), TOO_MANY_FAILURES);
    const account = await this.accounts.bySecret(accountId, secretKey);
    if (account?.status !== 'active') {
      rejectLimited(await this.limits.failedSignIns.count(network), TOO_MANY_FAILURES);
      throw new RegisterError('AUT001');
    }
    // Failed sign-ins that were checked at the same time may have exceeded the limit.
    rejectLimited(await this.limits.failedSignIns.passed(network), TOO_MANY_FAILURES);
    const { account_id, role, duid, mpid, token_series: series, now } = account;
    const caller = { accountId: account_id, role, duid, mpid };
    const bearerToken = await issueBearerToken(this.signing, caller, now, series);
    return { bearerToken, expires: BEARER_TOKEN_LIFETIME };
  }

  @MayCall(...ACCOUNT_ROLES)
  @Query(() => ViewerType, { description: 'The account of the token.' })
  viewer(@Ctx() context: CallContext): ViewerType {
    const { accountId, role, duid } = callerOf(context);

    return { accountId, role: role as AccountRole, duid }; // `MayCall` rejects customers, who have no account
  }

  @FieldResolver(() => DataUserType, nullable('The directory entry of the account.'))
  async dataUser(@Root() { duid }: ViewerType): Promise<DirectoryEntry | null> {
    return duid === null ? null : this.dataUsers.byDuid(duid);
  }

  @MayCall(...IDENTIFYING_SERVICES)
  @Directive('@inaccessible')
  @Query(() => AdmissionType, {
    nullable: true,
    description:
      'Internal: admission of a request by an account; the request is counted. AUT001 for a revoked token or one of an inactive account, AUT002 for an expired one: these are not counted.',
  })
  async admission(
    @Arg('accountId', () => String, { description: 'The account.' }) accountId: string,
    @Arg('token', () => AccountTokenInput, {
      nullable: true,
      description: 'Its bearer token. Gateways of an earlier release omit it and check the token themselves.',
    })
    token: AccountTokenInput | null,
    @Arg('isCounted', () => Boolean, IS_COUNTED) isCounted: boolean,
  ): Promise<AdmissionType | null> {
    const account = await this.accounts.admission(accountId);
    if (!account) return null;
    if (token) requireValid(token, account);
    const { role, duid, mpid, status, token_series: tokenSeries, now } = account;
    const retryAfter = status === 'active' && !isCounted ? await this.limits.requests.count(accountId) : null;
    return { accountId, role, duid, mpid, status, tokenSeries, now, allowed: retryAfter === null, retryAfter };
  }

  @MayCall(...IDENTIFYING_SERVICES)
  @Directive('@inaccessible')
  @Query(
    () => SupplierAdmissionType,
    nullable('Internal: the active supplier whose API key this is (Interface D); the request is counted.'),
  )
  async supplierAdmission(
    @Arg('key', () => String, { description: 'The API key as sent.' }) key: string,
    @Arg('isCounted', () => Boolean, IS_COUNTED) isCounted: boolean,
    @Ctx() { clientAddress }: CallContext,
  ): Promise<SupplierAdmissionType | null> {
    const found = await this.accounts.bySupplierKey(key);
    if (!found) {
      rejectLimited(await this.limits.unknownKeys.count(clientNetwork(clientAddress)), TOO_MANY_FAILURES);
      return null;
    }
    const { account_id: accountId, mpid, key_id: keyId } = found;
    return { accountId, mpid, keyId, retryAfter: isCounted ? null : await this.limits.requests.count(accountId) };
  }

  @MayCall('service:gateway')
  @Directive('@inaccessible')
  @Query(() => [ID], {
    description: 'Internal: those of these API keys that have not been replaced. No request is counted.',
  })
  liveSupplierKeys(
    @Arg('keyIds', () => [ID], { description: 'Ids of API keys.' }) keyIds: string[],
  ): Promise<string[]> {
    return this.accounts.liveSupplierKeys(keyIds);
  }
}

/** Throws AUT001 for a revoked token and for one of an inactive account, AUT002 for an expired one, by the register's clock. */
function requireValid(token: AccountTokenInput, { status, token_series, now }: AdmissionRow): void {
  if (status !== 'active') throw new RegisterError('AUT001');
  // Decided by equality, not by time: a sign-in while the secret was being revoked, in the same second too, has the former series.
  if ((token.series ?? null) !== token_series) throw new RegisterError('AUT001');
  requireCurrent(token, now.getTime());
}
