import { execFile } from 'node:child_process';
import { link, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readLists, writeList } from '../../../commands/backup/anonymised-list';
import { REPOSITORY_ROOT } from '../../../schema/repository-root';
import { FROM_SOURCES } from '../../support/run/product-command';

/** Entries of the list of a register that has served for years, and the backups that have a copy of it. */
const [MANY_ENTRIES, COPIES] = [100_000, 12];
/** Megabytes of a process that holds the list once: the copies together have 86. */
const SMALL_HEAP_MB = 64;

describe('Large lists of anonymised records', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'register-lists-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  it('are read and written by a process whose memory is smaller than all copies', async () => {
    const entries = Array.from({ length: MANY_ENTRIES }, (_, number) => {
      return [`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`, '2026-11-01T00:00:00.000Z'] as const;
    });
    const file = join(root, 'anonymised.json');
    await writeList(root, { anonymised: new Map(entries), closed: new Map(), occupancyKeys: new Map() });
    for (let copy = 0; copy < COPIES; copy += 1) {
      const backup = join(root, 'register', `2026110${copy % 10}T00000${Math.floor(copy / 10)}.000Z`);
      await mkdir(backup, { recursive: true });
      await link(file, join(backup, 'anonymised.json'));
    }
    const path = join(REPOSITORY_ROOT, 'commands', 'backup', 'anonymised-list.ts');
    const script = `const { readLists, writeList } = require(${JSON.stringify(path)});
      readLists(process.argv[1]).then(async (list) => {
        await writeList(process.argv[1], list);
        console.log(list.anonymised.size);
      });`;
    const words = [`--max-old-space-size=${SMALL_HEAP_MB}`, ...FROM_SOURCES, '-e', script, root];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    expect(stdout.trim()).toBe(String(MANY_ENTRIES));
    expect((await readLists(root))?.anonymised.size).toBe(MANY_ENTRIES);
  });
});
