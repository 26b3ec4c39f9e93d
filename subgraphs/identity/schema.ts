import { type ReferenceResolver, type SubgraphSchema, buildFederatedSchema } from '../server/subgraph-schema';
import { AnonymisingResolver } from './resolvers/anonymising.resolver';
import { CeremonyResolver } from './resolvers/ceremony.resolver';
import { ChangeOfTenancyResolver } from './resolvers/change-of-tenancy.resolver';
import { ContactCountResolver } from './resolvers/contact-count.resolver';
import { CredentialResolver } from './resolvers/credential.resolver';
import { CustomerContactResolver } from './resolvers/customer-contact.resolver';
import { CustomerSessionResolver } from './resolvers/customer-session.resolver';
import { DiscoveredMeterPointResolver } from './resolvers/discovered-meter-point.resolver';
import { IdentityLookResolver } from './resolvers/identity-look.resolver';
import { IdentityRecordLinkResolver } from './resolvers/identity-record-link.resolver';
import { IdentityRecordMpxnResolver } from './resolvers/identity-record-mpxn.resolver';
import { IdentityRecordResolver } from './resolvers/identity-record.resolver';
import { LegacyConsentResolver } from './resolvers/legacy-consent.resolver';
import { MeterPointResolver } from './resolvers/meter-point.resolver';
import { ReidentificationProofResolver } from './resolvers/reidentification-proof.resolver';
import { ReidentificationResolver } from './resolvers/reidentification.resolver';
import { SignInResolver } from './resolvers/sign-in.resolver';
import { SupplierSignInResolver } from './resolvers/supplier-sign-in.resolver';

const RESOLVERS = [
  IdentityRecordResolver,
  MeterPointResolver,
  IdentityRecordLinkResolver,
  IdentityRecordMpxnResolver,
  ReidentificationResolver,
  ReidentificationProofResolver,
  CeremonyResolver,
  CredentialResolver,
  IdentityLookResolver,
  AnonymisingResolver,
  CustomerSessionResolver,
  SignInResolver,
  SupplierSignInResolver,
  ChangeOfTenancyResolver,
  DiscoveredMeterPointResolver,
  LegacyConsentResolver,
  CustomerContactResolver,
  ContactCountResolver,
] as const;

/** The subgraph `identity`, of one instance of each resolver. Without them it can be printed and composed, but not executed. */
export function identitySchema(instances?: readonly object[]): Promise<SubgraphSchema> {
  if (!instances) return buildFederatedSchema({ resolvers: RESOLVERS, references: {} });
  const byClass = new Map<unknown, object>(instances.map((instance) => [instance.constructor, instance]));
  const identityRecords = byClass.get(IdentityRecordResolver) as IdentityRecordResolver;
  return buildFederatedSchema({
    resolvers: RESOLVERS,
    references: {
      IdentityRecord: (reference, context) => identityRecords.byReference(reference, context),
      MeterPoint: ({ id }: { id: string }) => ({ id }),
    } satisfies Record<string, ReferenceResolver>,
    container: { get: (resolver) => byClass.get(resolver) },
  });
}
