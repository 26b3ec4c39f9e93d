import { parseArgs } from 'node:util';
import { commandErrorMessage } from '../process/startup-error';

/** Options of a command by their names without dashes. */
export type CommandOptions = Readonly<Record<string, { readonly type: 'boolean' | 'string' }>>;

/** The arguments of a command. */
export interface CommandLine {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** One text for each option that is unknown or lacks its value, and for each word that is a URL. */
  readonly violations: readonly string[];
}

/** Returns whether a word is a URL, which may contain a password. */
export const isUrl = (word: string): boolean => word.includes('://');

/** Returns a word of a command line as error messages show it: never a URL. */
const shownWord = (word: string): string => (isUrl(word) ? 'a URL' : word);

/** Reads arguments. Reports all invalid options together: `parseArgs` in its strict mode throws at the first one. */
export function readCommandLine(args: readonly string[], options: CommandOptions): CommandLine {
  const { positionals, values, tokens } = parseArgs({
    args: [...args],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const violations = tokens.flatMap((token) => {
    if (token.kind === 'positional' && isUrl(token.value)) return [`${shownWord(token.value)}: is not expected`];
    if (token.kind !== 'option') return [];
    const { name, rawName, value, inlineValue } = token;
    const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
    if (type === undefined) return [`${shownWord(rawName)}: is not an option of this command`];
    if (type === 'boolean') return value === undefined ? [] : [`${rawName}: has no value`];
    const isMissing = value === undefined || value === '' || (!inlineValue && value.startsWith('-'));
    return isMissing ? [`${rawName}: needs a value`] : [];
  });
  return { positionals, values, violations };
}

/** Reads a command of this process and its arguments; throws the error of the usage if there is no such command. */
export function readCommand(commands: Readonly<Record<string, CommandOptions>>, usage: string) {
  const [command = '', ...words] = process.argv.slice(2);
  const options = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (options === undefined) throw usageError(command === '' ? [] : [`${shownWord(command)}: is not a command`], usage);
  return { command, options, ...readCommandLine(words, options) };
}

/**
 * Returns the violations of words that a command does not take. None if an option is invalid: the words may be the values
 * of an option whose name is misspelt.
 */
export function unexpected(words: readonly unknown[], violations: CommandLine['violations']): string[] {
  return violations.length > 0 ? [] : words.map((word) => `${String(word)}: is not expected`);
}

/** An invalid command line: everything that is wrong with it, then the usage. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Returns the error of an invalid command line, one line for each violation. */
export function usageError(violations: readonly string[], usage: string): Error {
  return new UsageError([...violations, usage].join('\n'));
}

/** Prints why a command failed, and exits with status 1. */
export function exitWithFailure(error: unknown): never {
  console.error(error instanceof UsageError ? error.message : commandErrorMessage(error, process.env));
  process.exit(1);
}
