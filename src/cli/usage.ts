import { parseArgs, type ParseArgsConfig } from 'node:util';

export class UsageError extends Error {}

/** Reads the options of a command. Throws a UsageError for anything unknown, which is printed with the usage. */
export function readOptions<Names extends string, Flags extends string = never>(
  args: string[],
  names: readonly Names[],
  {
    positionals: allowPositionals = false,
    flags = [],
  }: { positionals?: boolean; flags?: readonly Flags[] } = {},
): {
  options: Partial<Record<Names, string>>;
  /** Options without a value. */
  flags: Partial<Record<Flags, boolean>>;
  positionals: string[];
} {
  const types: ParseArgsConfig['options'] = Object.fromEntries([
    ...names.map((name) => [name, { type: 'string' }] as const),
    ...flags.map((flag) => [flag, { type: 'boolean' }] as const),
  ]);
  try {
    const { values, positionals } = parseArgs({ args, options: types, allowPositionals, strict: true });
    const entries = Object.entries(values);
    return {
      options: Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')) as Partial<
        Record<Names, string>
      >,
      flags: Object.fromEntries(entries.filter(([, value]) => typeof value === 'boolean')) as Partial<
        Record<Flags, boolean>
      >,
      positionals,
    };
  } catch (error) {
    throw new UsageError(
      `${(error as Error).message.split('. ')[0]}. ${listOptions([...names, ...flags], allowPositionals)}`,
    );
  }
}

function listOptions(names: string[], hasArguments: boolean): string {
  if (names.length === 0) return `This command takes no options${hasArguments ? '' : ' or arguments'}.`;
  return `The options are ${names.map((name) => `--${name}`).join(', ')}.`;
}

/** The error for a subcommand that is missing or unknown. */
export function unknownSubcommand(given: string | undefined, known: readonly string[]): UsageError {
  const what = given ? `Unknown subcommand "${given}".` : 'Missing subcommand.';
  return new UsageError(`${what} Use one of ${known.join(', ')}.`);
}

export function requireOption(value: string | undefined, name: string): string {
  if (!value?.trim()) throw new UsageError(`--${name} is missing.`);
  return value.trim();
}

export function requireTeamId(value: string | undefined): number {
  const text = requireOption(value, 'team');
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--team must be a team ID (a number).');
  return Number(text);
}
