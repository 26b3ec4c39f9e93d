import { yearOfPrices } from './chapters/year-of-prices';

yearOfPrices('a process each');
