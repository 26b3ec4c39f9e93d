import { contests } from './chapters/contests';

describe('The customer among several contacts', () => {
  contests();
});
