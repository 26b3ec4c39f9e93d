import { contests } from './chapters/contests';

describe('Who is the customer', () => {
  contests();
});
