import { parseArgs, type ParseArgsConfig } from 'node:util';

export class UsageError extends Error {}

/** Reads the options of a command; anything unknown or missing is told with the command's usage. */
export function readOptions<Names extends string>(
  args: string[],
  names: readonly Names[],
  allowPositionals = false,
): { options: Partial<Record<Names, string>>; positionals: string[] } {
  const options: ParseArgsConfig['options'] = Object.fromEntries(
    names.map((name) => [name, { type: 'string' }]),
  );
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals, strict: true });
    return { options: values as Partial<Record<Names, string>>, positionals };
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

export function requireOption(value: string | undefined, name: string): string {
  if (!value?.trim()) throw new UsageError(`--${name} is missing.`);
  return value.trim();
}

export function requireTeamId(value: string | undefined): number {
  const text = requireOption(value, 'team');
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('--team must be the number of a team.');
  return Number(text);
}
