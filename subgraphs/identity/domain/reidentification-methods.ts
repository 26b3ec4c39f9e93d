/** Ways in which a customer can be re-identified (1-specification.md, existence check). */
export type ReidentificationMethod = 'magic-link' | 'passkey-assert' | 'passkey-register';
