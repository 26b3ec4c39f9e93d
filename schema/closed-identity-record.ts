/** Messages of CNF003 for an Identity Record that can no longer be used, by its state. */
export const CLOSED_IDENTITY_RECORD = {
  closing: 'The Identity Record is closing: it will be anonymised.',
  anonymised: 'The Identity Record is anonymised.',
  either: 'The Identity Record is closing or anonymised.',
} as const;
