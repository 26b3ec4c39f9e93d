import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../../schema/repository-root';
import { type TestRegister, startTestRegister } from '../support/register';

const run = promisify(execFile);

describe('The walk through Interface A of the README', () => {
  let register: TestRegister;
  beforeAll(async () => {
    register = await startTestRegister('one process');
  });
  afterAll(() => register.close());

  it('registers, verifies, revokes and verifies again, as it is printed', async () => {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', theWalk(register)]);
    const [ir, ak, verified, revoked, verifiedAgain] = stdout.trim().split('\n');
    expect(ir).toMatch(/^ir_[0-9a-f]{24}$/);
    expect(ak).toMatch(/^ak_[0-9a-f]{24}$/);
    expect(recordIn(verified)).toMatchObject({
      'record-metadata': { 'record-identifier': ak, 'identity-record-ref': ir },
      'access-event': { state: 'ACTIVE' },
    });
    const { 'revoked-at': revokedAt, ...revocation } = JSON.parse(revoked ?? '') as Record<string, unknown>;
    expect(revocation).toMatchObject({ ak });
    expect(recordIn(verifiedAgain)).toMatchObject({ 'access-event': { state: 'REVOKED', 'revoked-at': revokedAt } });
  });
});

/** The commands of the chapter, with the addresses of this register. */
function theWalk({ rest, dataDir }: TestRegister): string {
  const readme = readFileSync(join(REPOSITORY_ROOT, 'README.md'), 'utf8');
  const chapter = readme.split('## A walk through Interface A')[1]?.split('\n## ')[0] ?? '';
  const commands = [...chapter.matchAll(/```bash\n([\s\S]*?)```/g)].map(([, block]) => block ?? '').join('\n');
  return commands.replace('./.data/', `${dataDir}/`).replace('http://localhost:4001', rest);
}

function recordIn(answer: string | undefined): unknown {
  return (JSON.parse(answer ?? '') as Record<string, unknown>)['access-record'];
}
