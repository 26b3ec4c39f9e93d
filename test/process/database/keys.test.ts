import { databaseLogin } from './chapters/database-login';
import { keysOfTheDatabase } from './chapters/keys-of-the-database';
import { sharedState } from './chapters/shared-state';
import { temporaryObjects } from './chapters/temporary-objects';

/** The chapters are in one test file, so that the product is loaded once. */
describe('Keys of the database', () => {
  keysOfTheDatabase();
});
describe('The login of the database', () => {
  databaseLogin();
});
describe('The state that processes share in the database', () => {
  sharedState();
});
describe('Temporary objects of a login', () => {
  temporaryObjects();
});
