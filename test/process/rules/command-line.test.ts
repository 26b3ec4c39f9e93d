import { readCommandLine, usageError } from '../../../commands/command-line';

const OPTIONS = { name: { type: 'string' }, 'list-only': { type: 'boolean' } } as const;

describe('The arguments of a command', () => {
  it.each([
    ['d --list-only', ['d'], { 'list-only': true }],
    ['--name Harbourlight d', ['d'], { name: 'Harbourlight' }],
    ['--name=-dashed', [], { name: '-dashed' }],
    ['-- --list-only', ['--list-only'], {}],
  ])('are valid as in "%s"', (line, positionals, values) => {
    expect(readCommandLine(line.split(' '), OPTIONS)).toEqual({ positionals, values, violations: [] });
  });

  it.each([
    ['d --lsit', ['--lsit: is not an option of this command']],
    ['--constructor', ['--constructor: is not an option of this command']],
    ['-n', ['-n: is not an option of this command']],
    ['--name', ['--name: needs a value']],
    ['--name --list-only', ['--name: needs a value']],
    ['--list-only=yes', ['--list-only: has no value']],
    [
      '--lsit --list-only=no --name=',
      ['--lsit: is not an option of this command', '--list-only: has no value', '--name: needs a value'],
    ],
  ])('are invalid as in "%s", each for its reason', (line, violations) => {
    expect(readCommandLine(line.split(' '), OPTIONS).violations).toEqual(violations);
  });

  it('are reported together, before the usage', () => {
    expect(usageError(['--a: is missing', '--b: is missing'], 'usage: x').message).toBe(
      '--a: is missing\n--b: is missing\nusage: x',
    );
  });
});
