import type { KeptRegister, RegisterOrder, Template, TemplateName } from './keeper-protocol';

/** Variable with the address of the run's keeper. */
export const KEEPER_URL = 'TEST_KEEPER_URL';

/**
 * Returns the register with this name, which all test files of the run share, in its own processes; the first call
 * starts it.
 */
export function sharedKeptRegister(name: string, order: RegisterOrder): Promise<KeptRegister> {
  return call<KeptRegister>('POST', `/shared-registers/${name}`, order);
}

/** Starts a register for one test file. */
export function ownKeptRegister(order: RegisterOrder): Promise<KeptRegister> {
  return call<KeptRegister>('POST', '/registers', order);
}

/** Stops a register of one test file and deletes its database. */
export function stopKeptRegister(id: string): Promise<void> {
  return call<void>('DELETE', `/registers/${id}`);
}

/** Returns a template, which the first call of the run creates. */
export function templateOf(name: TemplateName): Promise<Template> {
  return call<Template>('POST', `/templates/${name}`);
}

async function call<Result>(method: string, path: string, body: unknown = {}): Promise<Result> {
  const keeper = process.env[KEEPER_URL];
  if (keeper === undefined) throw new Error('no test run: tests that need a server are started by jest.config.js');
  const response = await fetch(`${keeper}${path}`, { method, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`the keeper of the test run: ${text}`);
  return JSON.parse(text) as Result;
}
