import { yearOfPrices } from './chapters/year-of-prices';

yearOfPrices('one process');
