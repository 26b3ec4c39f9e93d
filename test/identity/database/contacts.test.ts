import { changesAhead } from './chapters/changes-ahead';
import { closedRecords } from './chapters/closed-records';
import { closingRecords } from './chapters/closing-records';
import { contestCounts } from './chapters/contest-counts';
import { contests } from './chapters/contests';
import { keptConnections } from './chapters/kept-connections';
import { lateChanges } from './chapters/late-changes';
import { rejectedProofs } from './chapters/rejected-proofs';
import { unreadableRecords } from './chapters/unreadable-records';

describe('The customer among several contacts', () => {
  contests();
  contestCounts();
  lateChanges();
  changesAhead();
  keptConnections();
  rejectedProofs();
  closingRecords();
  closedRecords();
  unreadableRecords();
});
