import { databaseLogin } from './chapters/database-login';
import { keysOfTheDatabase } from './chapters/keys-of-the-database';
import { sharedState } from './chapters/shared-state';

/** Chapters of one file load the product once. */
describe('Keys of the database', () => {
  keysOfTheDatabase();
});
describe('The login of the database', () => {
  databaseLogin();
});
describe('What processes share in the database', () => {
  sharedState();
});
