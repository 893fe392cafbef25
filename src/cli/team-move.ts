/** `posthorn team move`: moves a team to another instance while both are running. */
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { loadConfig, type Config } from '../config.ts';
import type { CopySide } from '../features/account/team-move/copy-team.ts';
import { forgetTeam } from '../features/account/team-move/forget-team.ts';
import { moveTeam, undoMove } from '../features/account/team-move/move-team.ts';
import type { Instance } from '../instance.ts';
import { onOwnConnection } from '../platform/database/database.ts';
import { readOptions, requireOption, requireTeamId, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

export async function moveCommand(args: string[], config: Config): Promise<void> {
  const { options, flags } = readOptions(args, ['team', 'to'], { flags: ['new-links', 'undo'] });
  const teamId = requireTeamId(options.team);
  const targetConfig = readTarget(requireOption(options.to, 'to'));
  await onSide(config, (source) =>
    onSide(targetConfig, async (target) => {
      if (flags.undo) {
        await undoMove(source, target, teamId);
        console.log(`Team ${teamId} is open again in this instance.`);
        return;
      }
      const options = { newLinks: flags['new-links'] ?? false, report: (line: string) => console.log(line) };
      const id = await moveTeam(source, target, teamId, options);
      console.log(
        `Point the MX records of its domains and its clients to ${target.baseUrl}. This instance tells clients that the team has moved, and asks other mail servers to try again later. When nothing arrives here any more, run: posthorn team forget --team ${teamId}`,
      );
      if (id !== teamId) console.log(`Team ${teamId} is team ${id} there.`);
    }),
  );
}

export async function forgetCommand(args: string[], config: Config): Promise<void> {
  const { options } = readOptions(args, ['team']);
  const teamId = requireTeamId(options.team);
  await onSide(config, ({ client }) => forgetTeam(client, teamId));
  console.log(`Team ${teamId} is deleted here.`);
}

/** Reads the settings of the other instance from its environment file. */
function readTarget(file: string): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(
      `--to must be a file with the settings of the other instance: ${(cause as Error).message}`,
    );
  }
  return loadConfig(parseEnv(text));
}

async function onSide<Result>(config: Config, work: (side: CopySide) => Promise<Result>): Promise<Result> {
  return withInstance(
    config,
    ({ pool, secret, objectStore }: Instance) =>
      onOwnConnection(pool, (client) =>
        work({ pool, client, secret, baseUrl: config.baseUrl, store: objectStore?.store ?? null }),
      ),
    { unhurried: true },
  );
}
