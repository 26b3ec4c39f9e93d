import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AnonymisedList, readLists, writeList } from '../../../commands/backup/anonymised-list';

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const [EARLIER, LATER] = ['2026-11-01T00:00:00.000Z', '2026-11-02T00:00:00.000Z'];
const LIST: AnonymisedList = {
  anonymised: new Map([
    [id(1), EARLIER],
    [id(2), LATER],
  ]),
  closed: new Map(),
  occupancyKeys: new Map([[id(3), LATER]]),
};

describe('The list of anonymised records', () => {
  let root: string;
  let file: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'register-lists-'));
    file = join(root, 'anonymised.json');
  });
  afterEach(() => rm(root, { recursive: true }));

  const stored = async () => {
    const { anonymised, closed, occupancyKeys } = (await readLists(root)) ?? {};
    return anonymised && { anonymised, closed, occupancyKeys };
  };

  it('is JSON with an entry on each line, as earlier releases read it', async () => {
    await writeList(root, LIST);
    const { anonymised, closed, occupancyKeys } = LIST;
    const parts = Object.entries({ anonymised, closed, occupancyKeys }).map(([part, of]) => [
      part,
      Object.fromEntries(of),
    ]);
    expect(await readFile(file, 'utf8')).toBe(JSON.stringify({ format: 2, ...Object.fromEntries(parts) }, null, 2));
    expect(await stored()).toEqual(LIST);
  });

  it.each([
    ['of 0.1.0, without parts', { [id(1)]: EARLIER }, { anonymised: new Map([[id(1), EARLIER]]) }],
    ['of 0.1.0 without an entry', {}, {}],
    ['with one part', { format: 2, closed: { [id(1)]: LATER } }, { closed: new Map([[id(1), LATER]]) }],
    ['of a later release with another part', { format: 3, others: { [id(1)]: LATER }, closed: {} }, {}],
  ])('is read %s, with or without line breaks', async (_, content, expected) => {
    const empty = { anonymised: new Map(), closed: new Map(), occupancyKeys: new Map() };
    for (const indent of [2, 0, 4]) {
      await writeFile(file, JSON.stringify(content, null, indent));
      expect(await stored()).toEqual({ ...empty, ...expected });
    }
  });

  it('is the union of all copies, with the earliest instant of each record', async () => {
    await writeList(root, LIST);
    const backup = join(root, 'register', '20261101T000000.000Z');
    await mkdir(backup, { recursive: true });
    await writeList(backup, { ...LIST, anonymised: new Map([[id(2), EARLIER]]), closed: new Map([[id(4), LATER]]) });
    expect(await stored()).toEqual({
      ...LIST,
      anonymised: new Map([
        [id(1), EARLIER],
        [id(2), EARLIER],
      ]),
      closed: new Map([[id(4), LATER]]),
    });
  });

  it('is absent without a file, and damaged if a part of it is missing', async () => {
    expect(await stored()).toBeUndefined();
    await writeList(root, LIST);
    const text = await readFile(file, 'utf8');
    for (const end of [text.length - 1, text.length - 5, text.length / 2, 1, 0]) {
      await writeFile(file, text.slice(0, end));
      await expect(stored()).rejects.toThrow(`${file} is damaged: it is not a list of anonymised records`);
    }
  });
});
