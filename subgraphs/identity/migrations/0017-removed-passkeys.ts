import { ForwardMigration } from '../../server/database/forward-migration';

/** Deletes what was proven and confirmed about contacts that no Identity Record of the meter point has: passkeys that were removed. */
export class RemovedPasskeys1790000000017 extends ForwardMigration {
  readonly statements = ['set local search_path = identity, register', ...DELETIONS];
}

/** Whether no record of the meter point, closed or not, has the contact as e-mail address or passkey. A removed passkey has no hash. */
const isOfNoRecord = (contact: string): string => `not exists (
  select from identity_record own where own.mpxn_index = noted.mpxn_index and (own.email_index = noted.${contact}
    or exists (select from passkey where passkey.record_id = own.id and passkey.credential_hash = noted.${contact})))`;

const DELETIONS = [
  `delete from contact_proof noted where ${isOfNoRecord('one')} or ${isOfNoRecord('other')}`,
  `delete from contact_verdict noted where noted.verdict = 'confirmed' and ${isOfNoRecord('contact')}`,
  `delete from contact_contest noted where ${isOfNoRecord('contact')}`,
];
