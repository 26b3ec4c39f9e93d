import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnRegisterProcess } from '../../support/register';

describe('A start of the register while other processes use its ports', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'register-ports-'));
  const others: Server[] = [];
  afterAll(() => {
    for (const other of others) other.close();
    rmSync(dataDir, { recursive: true });
  });

  async function takenPort(): Promise<string> {
    const server = createServer();
    others.push(server);
    await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve));
    return String((server.address() as AddressInfo).port);
  }

  it('names each of them with its variable, before it creates a database', async () => {
    const [gateway, portal] = [await takenPort(), await takenPort()];
    const environment = { DATA_DIR: dataDir, REST_PORT: '0', GATEWAY_PORT: gateway, PORTAL_PORT: portal };
    const { ended, output } = spawnRegisterProcess(environment);
    expect(await ended).toBe(1);
    expect(output()).toContain(
      `  - GATEWAY_PORT: port ${gateway} is in use; stop the process that uses it, or choose another port
  - PORTAL_PORT: port ${portal} is in use; stop the process that uses it, or choose another port
`,
    );
    expect(output()).not.toContain('REST_PORT');
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  });
});
