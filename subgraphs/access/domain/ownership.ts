/**
 * Whether a record of this Data User is the caller's own. What was discovered has no Data User (null) and no owner: not even a caller
 * whose role has none either.
 */
export function isOwner({ duid: own }: { readonly duid: string | null }, duid: string | null): boolean {
  return duid !== null && own === duid;
}
