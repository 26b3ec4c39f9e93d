import { runOperatorCommand } from '../../support/operator-command';

/** A URL with a password, which no message shows. */
const OWNER_URL = 'postgres://owner:pw@h/d';

/** Programs with the arguments of an operator, and the lines before the usage. */
const LINES: [program: string, line: string, reasons: string[]][] = [
  ['backup/backup', '', []],
  ['backup/backup', 'copy d', ['copy: is not a command']],
  ['backup/backup', 'backup', ['the folder is missing']],
  ['backup/backup', 'backup d --lsit', ['--lsit: is not an option of this command']],
  ['backup/backup', 'restore d e', ['e: is not expected']],
  ['backup/backup', `restore d ${OWNER_URL}`, ['a URL: is not expected']],
  ['backup/backup', `restore ${OWNER_URL}`, ['a URL: is not expected']],
  ['backup/backup', `restore d --also-from:${OWNER_URL}`, ['a URL: is not an option of this command']],
  ['backup/backup', `reanonymise --list ${OWNER_URL}`, ['--list: must be a folder']],
  ['backup/backup', OWNER_URL, ['a URL: is not a command']],
  ['admin', OWNER_URL, ['a URL: is not a command']],
  ['backup/backup', 'restore d --list-only', ['--list-only: is not an option of this command']],
  ['backup/backup', 'reanonymise d', ['--list: is missing', 'd: is not expected']],
  ['backup/backup', 'reanonymise --also-from', ['--also-from: needs a value', '--list: is missing']],
  ['admin', '', []],
  ['admin', 'create-admn', ['create-admn: is not a command']],
  ['admin', 'create-admin', ['--name: is missing']],
  ['admin', 'create-admin Office --nam Back', ['--nam: is not an option of this command', '--name: is missing']],
  ['admin', 'create-admin --name', ['--name: needs a value']],
  ['admin', 'create-admin --name=\u3000', ['--name: must have a visible character']],
  ['admin', `create-admin --name ${'x'.repeat(256)}`, ['--name: must have 1 to 255 characters']],
  ['admin', 'revoke-secret', ['--account: is missing']],
  ['admin', 'create-keys --name x', ['--name: is not an option of this command']],
  ['migrate', 'now', ['now: is not expected']],
  [
    'publish-grid',
    '',
    [
      '--area: is missing',
      '--year: is missing',
      '--period: is missing',
      '--project: is missing',
      'the archive is missing',
    ],
  ],
  [
    'publish-grid',
    '--area XYZ --year 26 --perod 01 --base --project a/b one.zip two.zip',
    [
      '--perod: is not an option of this command',
      '--period: is missing',
      '--project: excludes --base',
      '--area: must be the code of a licence area',
      '--year: must be a year from 2000 to 2100',
    ],
  ],
  [
    'publish-grid',
    '--area EPN --year 26 --year:2026 --period 01 --project A one.zip',
    ['--year:2026: is not an option of this command', '--year: must be a year from 2000 to 2100'],
  ],
];

describe('A command', () => {
  it.each(LINES)(
    '%s %s names everything that is wrong with its arguments, then its usage',
    async (program, line, reasons) => {
      const words = line.split(' ').filter((word) => word !== '');
      const { code, printed } = await runOperatorCommand(`commands/${program}`, words, {}).ended;
      const usageAt = printed.indexOf('usage: npm run');
      expect([code, printed.slice(0, usageAt).split('\n').slice(0, -1)]).toEqual([1, reasons]);
    },
  );
});
