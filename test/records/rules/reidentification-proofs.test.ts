import pino from 'pino';
import { identityLinks } from '../../../subgraphs/access/identity-links/identity-link.client';
import {
  type ReidentificationProof,
  reidentificationProofs,
} from '../../../subgraphs/access/identity-links/reidentification-proof.client';
import type { CallContext } from '../../../subgraphs/server/callers/caller';
import { keyedHash } from '../../../subgraphs/server/keyed-hash';
import { FACTS, recordOnContract } from '../../support/access-records';
import { absentSubgraph } from '../../support/identity-surroundings';

const CONTEXT: CallContext = { caller: null, service: null, transactionId: 'tid_one', clientAddress: '192.0.2.7' };
const TOKEN = `mlr_${'a'.repeat(24)}`;
const PROOF: ReidentificationProof = {
  initiator: FACTS.duid,
  identityRecordId: 'id',
  meterPointId: 'meter point',
  isConfirmed: true,
  isClosed: false,
  occupant: { ownRecordIds: ['id'], since: '2026-04-01', beganAt: null },
  token: { hash: Buffer.from('hash'), expiresAt: new Date('2026-06-01T13:00:00Z') },
};

describe('The link that a re-identification token proves', () => {
  const linkBy = (proof: ReidentificationProof | undefined) => {
    const links = identityLinks(absentSubgraph('identity'), async () => proof, pino({ level: 'silent' }));
    const record = recordOnContract(({ recordMetadata }) => (recordMetadata.identityRecordRef = null));
    return links.vouchFor({ ...record, reidentificationToken: TOKEN }, FACTS.duid, CONTEXT);
  };

  it('has the Identity Record, never its key, and the token that the registration redeems', async () => {
    expect(await linkBy(PROOF)).toEqual({ id: 'id', meterPointId: 'meter point', ref: null, token: PROOF.token });
  });

  const OTHER = 'duid_ffffffffffffffffffffffff';
  it.each<[string, ReidentificationProof | undefined, string]>([
    ['of an unknown token', undefined, 'VAL009'],
    ['that the customer has not confirmed, or whose hour has passed', { ...PROOF, isConfirmed: false }, 'VAL009'],
    ['initiated by another Data User', { ...PROOF, initiator: OTHER }, 'PRM002'],
    [
      'initiated by another Data User, whatever became of it',
      { ...PROOF, initiator: OTHER, isConfirmed: false, isClosed: true },
      'PRM002',
    ],
    ['to an Identity Record that is being anonymised', { ...PROOF, isClosed: true }, 'CNF003'],
    ['to an Identity Record that was anonymised', { ...PROOF, isClosed: true, meterPointId: null }, 'CNF003'],
  ])('is none %s', async (_, proof, code) => {
    await expect(linkBy(proof)).rejects.toMatchObject({ code });
  });

  it('is not queried for a malformed token', async () => {
    const proofs = reidentificationProofs(absentSubgraph('identity'), keyedHash(Buffer.alloc(32), 'token'));
    for (const malformed of ['', 'mlr_', `ak_${'a'.repeat(24)}`, `${TOKEN} `]) {
      expect(await proofs(malformed, CONTEXT)).toBeUndefined();
    }
    await expect(proofs(TOKEN, CONTEXT)).rejects.toMatchObject({ code: 'SYS002' });
  });
});
