import { type ReferenceResolver, type SubgraphSchema, buildFederatedSchema } from '../server/graph/subgraph-schema';
import { AnonymisingResolver } from './anonymisation/anonymising.resolver';
import { CeremonyResolver } from './reidentification/ceremony.resolver';
import { ChangeOfTenancyResolver } from './operator/change-of-tenancy.resolver';
import { ContactCountResolver } from './contacts/contact-count.resolver';
import { CredentialResolver } from './passkeys/credential.resolver';
import { ContactRejectionResolver } from './contacts/contact-rejection.resolver';
import { CustomerContactResolver } from './contacts/customer-contact.resolver';
import { CustomerSessionResolver } from './sign-in/customer-session.resolver';
import { DiscoveredMeterPointResolver } from './operator/discovered-meter-point.resolver';
import { IdentityAuditResolver } from './identity-audit.resolver';
import { IdentityLookupResolver } from './lookups/identity-lookup.resolver';
import { IdentityRecordLinkResolver, IdentityRecordMpxnResolver } from './records/identity-record-link.resolver';
import { IdentityRecordResolver } from './records/identity-record.resolver';
import { LegacyConsentResolver } from './legacy/legacy-consent.resolver';
import { MeterPointResolver } from './records/meter-point.resolver';
import { ReidentificationProofResolver } from './reidentification/reidentification-proof.resolver';
import { ReidentificationResolver } from './reidentification/reidentification.resolver';
import { SignInResolver } from './sign-in/sign-in.resolver';
import { SupplierSignInResolver } from './sign-in/supplier-sign-in.resolver';

const RESOLVERS = [
  IdentityRecordResolver,
  MeterPointResolver,
  IdentityRecordLinkResolver,
  IdentityRecordMpxnResolver,
  ReidentificationResolver,
  ReidentificationProofResolver,
  CeremonyResolver,
  CredentialResolver,
  IdentityLookupResolver,
  AnonymisingResolver,
  CustomerSessionResolver,
  SignInResolver,
  SupplierSignInResolver,
  ChangeOfTenancyResolver,
  DiscoveredMeterPointResolver,
  LegacyConsentResolver,
  CustomerContactResolver,
  ContactCountResolver,
  ContactRejectionResolver,
  IdentityAuditResolver,
] as const;

/**
 * Builds the subgraph `identity` from one instance of each resolver. Without instances, its schema can be printed and composed, but not
 * executed.
 */
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
