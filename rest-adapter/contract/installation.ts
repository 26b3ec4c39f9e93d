/** Public addresses of the interfaces. */
export interface PublicAddresses {
  /** Interface A, with the version segment. */
  readonly baseUrl: string;
  /** Interface B; by default the origin of {@link baseUrl}. */
  readonly legacyBaseUrl?: string | undefined;
  /** Lookups of Interface D, without the version segment; the default is the same. */
  readonly registerUrl?: string | undefined;
  /** Operations of Interface D that suppliers serve; the default is the same. */
  readonly supplierUrl?: string | undefined;
}

/** Settings of an installation for its interfaces. */
export interface Installation extends PublicAddresses {
  /** End of service of Interface B (decisions A/B, 8). */
  readonly legacySunset: Date;
}
