/** What somebody did that looked at a customer (2-decisions-a-b.md, section 10). */
export type IdentityLookKind = 'existence-check' | 'reidentification' | 'show-consents';

/** How often an organisation looked, in one hour. */
export interface IdentityLook {
  readonly duid: string;
  readonly kind: IdentityLookKind;
  /** Beginning of the hour. */
  readonly hour: Date;
  readonly count: number;
}
