/** Where the interfaces are, for those outside. */
export interface PublicAddresses {
  /** Of Interface A, with its version segment. */
  readonly baseUrl: string;
  /** Of Interface B; the origin of {@link baseUrl} if not said. */
  readonly legacyBaseUrl?: string | undefined;
  /** Of the lookups of Interface D, without its version segment, likewise. */
  readonly registerUrl?: string | undefined;
  /** Of what suppliers serve by Interface D, likewise. */
  readonly supplierUrl?: string | undefined;
}

/** What an installation has settled of its interfaces. */
export interface Installation extends PublicAddresses {
  /** Until when Interface B is served (2-decisions-a-b.md, section 8). */
  readonly legacySunset: Date;
}
