import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { throwViolations } from '../../../schema/register-error';
import { Uri } from '../../../schema/scalars';
import { type CallContext, MayCall } from '../../server/callers/caller';
import { DataTypeEnum } from '../../server/graph/data-type.enums';
import type { AccountRepository } from './account.repository';
import type { DataType } from '../../../schema/data-types';
import { type AccountSettings, settingsViolations } from './account';
import { accountId, actor } from './account.resolver';
import { AccountSecretType, AccountType } from './account.types';

/**
 * Settings of accounts that the back office changes: URLs, data categories and the OpenID Connect client of a supplier. Every change is
 * audited.
 */
@Resolver(() => AccountType)
export class AccountSettingsResolver {
  constructor(
    private readonly accountRepository: AccountRepository,
    private readonly production: boolean,
  ) {}

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets the contact URL of the organisation.' })
  setContactUrl(
    @accountId() id: string,
    @Arg('contactUrl', () => Uri, { description: 'The URL.' }) contactUrl: string,
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { contactUrl });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets the URL of the privacy notice of the organisation.' })
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
      "Sets the communications operator's reference of the organisation. At meter points where the organisation has ACTIVE access " +
      'records, the DISCOVERED records with this reference are claimed in the background, soon after.',
  })
  setOrganisationReference(
    @accountId() id: string,
    @Arg('organisationReference', () => String, { description: 'The reference.' }) organisationReference: string,
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { organisationReference });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets the return URLs of the organisation.' })
  setReturnUrls(
    @accountId() id: string,
    @Arg('returnUrls', () => [Uri], { description: 'URLs to which the register may redirect customers.' })
    returnUrls: string[],
    @Ctx() context: CallContext,
  ) {
    return this.set(context, id, { returnUrls });
  }

  @MayCall('admin')
  @Mutation(() => AccountType, { description: 'Sets the OpenID Connect client at a supplier.' })
  setSupplierOAuth(
    @accountId() id: string,
    @Arg('issuer', () => Uri, { description: "The supplier's issuer." }) oauthIssuer: string,
    @Arg('clientId', () => String, { description: "Identifier of the register's client." }) oauthClientId: string,
    @Arg('clientSecret', () => String, {
      description: 'Secret of the client. It is stored encrypted and never returned.',
    })
    clientSecret: string,
    @Ctx() context: CallContext,
  ) {
    throwViolations(settingsViolations({ oauthIssuer, oauthClientId }, this.production));
    return this.accountRepository.setSupplierOAuth(actor(context), id, oauthIssuer, oauthClientId, clientSecret);
  }

  @MayCall('admin')
  @Mutation(() => AccountSecretType, {
    description: 'Issues the API key of a supplier, returned once. The previous key becomes invalid.',
  })
  issueSupplierApiKey(@accountId() id: string, @Ctx() context: CallContext) {
    return this.accountRepository.issueSupplierApiKey(actor(context), id);
  }

  private set(context: CallContext, id: string, settings: AccountSettings) {
    throwViolations(settingsViolations(settings, this.production));
    return this.accountRepository.set(actor(context), id, settings);
  }
}
