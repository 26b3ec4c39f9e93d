/** State of a record in its anonymising. */
export interface AnonymisingState {
  /** Key of the record. */
  readonly ref: string;
  /** The Data User that registered it. */
  readonly duid: string;
  readonly closing: boolean;
  /** Whether the response to its Data User was that it is closed, which is never undone. */
  readonly isClosed: boolean;
  readonly anonymisedAt: Date | null;
}

/** Name of a state in the audit. */
export function nameOf({ closing, isClosed, anonymisedAt }: Omit<AnonymisingState, 'ref'>): string {
  if (anonymisedAt !== null) return 'anonymised';
  if (isClosed) return 'closed';
  return closing ? 'closing' : 'open';
}
