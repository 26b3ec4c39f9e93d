import { contests } from './chapters/contests';
import { lateChanges } from './chapters/late-changes';

describe('The customer among several contacts', () => {
  contests();
  lateChanges();
});
