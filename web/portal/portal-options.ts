import type { PageServerOptions } from '../shared/page-server-options';
import type { WebSettings } from '../shared/web-server';

/** Address on which the portal listens, and its public URLs. */
export interface PortalSettings extends WebSettings {
  /** URL of the customer portal. */
  readonly portalUrl: string;
  /** URL of the re-identification pages, to which Data Users redirect customers. */
  readonly identityRedirectUrl: string;
  /** Page of the operator with help and contact, which every page links to; undefined for no link. */
  readonly supportUrl: string | undefined;
  /** Privacy notice of the operator, which every page links to; undefined for no link. */
  readonly privacyUrl: string | undefined;
  /** Sign-in links that are mailed for an Identity Record in 15 minutes. */
  readonly mailLimit: number;
}

/** Options of the portal. */
export interface PortalOptions extends PageServerOptions {
  readonly settings: PortalSettings;
}
