/** `posthorn directory`: prints the cell of each key, domain, mailbox or team, as a map for nginx or HAProxy. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { loadConfig, type Config } from '../config.ts';
import {
  DIRECTORY_MAPS,
  readDirectory,
  type Cell,
  type Directory,
  type DirectoryMap,
} from '../features/account/teams/directory.ts';
import { readOptions, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

const FORMATS: Record<string, (value: string, cell: string) => string> = {
  nginx: (value, cell) => `${value} ${cell};`,
  haproxy: (value, cell) => `${value} ${cell}`,
};
const SHOWN_CONFLICTS = 10;

export async function directoryCommand(args: string[]): Promise<void> {
  const { options, positionals } = readOptions(args, ['map'], { positionals: true });
  const [format = '', ...places] = positionals;
  const write = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (!write) throw new UsageError(`The format must be one of ${Object.keys(FORMATS).join(', ')}.`);
  const map = DIRECTORY_MAPS.find((name) => name === (options.map ?? 'keys'));
  if (!map) throw new UsageError(`--map must be one of ${DIRECTORY_MAPS.join(', ')}.`);
  if (places.length === 0) throw new UsageError('Give at least one cell as NAME=ENV_FILE.');
  const cells = places.map(readPlace);
  const { cells: found, conflicts } = await inAllCells(cells, [], map);
  for (const [value, { name }] of found) process.stdout.write(`${write(value, name)}\n`);
  if (conflicts.length === 0) return;
  const shown = conflicts.slice(0, SHOWN_CONFLICTS).join(', ');
  console.error(`${conflicts.length} ${map} are in several cells, and the first is listed: ${shown}`);
}

/** Opens the cells one after another, so that all of them are closed again if one fails. */
function inAllCells(
  [next, ...others]: { name: string; config: Config }[],
  opened: Cell[],
  map: DirectoryMap,
): Promise<Directory> {
  if (!next) return readDirectory(opened, map);
  const { name, config } = next;
  return withInstance(
    config,
    ({ db }) => inAllCells(others, [...opened, { name, baseUrl: config.baseUrl, db }], map),
    { migrate: false },
  );
}

/** The name becomes part of a configuration file. */
function readPlace(text: string): { name: string; config: Config } {
  const [, name = '', file = ''] = /^([A-Za-z0-9_.-]{1,64})=(.+)$/.exec(text) ?? [];
  if (!name) throw new UsageError(`A cell must look like NAME=ENV_FILE, not "${text}".`);
  try {
    return { name, config: loadConfig(parseEnv(readFileSync(file, 'utf8'))) };
  } catch (cause) {
    throw new UsageError(`The settings of ${name} cannot be read: ${(cause as Error).message}`);
  }
}
