import type { Config } from '../config.ts';
import { createApiKey } from '../features/api-keys/api-keys.ts';
import { createTeam } from '../features/teams/teams.ts';
import { inTransaction } from '../platform/database.ts';
import { readOptions, requireOption, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

export async function teamCommand([verb, ...args]: string[], config: Config): Promise<void> {
  if (verb !== 'create') throw new UsageError('What should be done with a team?');
  const { options } = readOptions(args, ['name']);
  const name = requireOption(options.name, 'name');
  await withInstance(config, async ({ db }) => {
    const { team, key } = await inTransaction(db, async (trx) => {
      const created = await createTeam(trx, name);
      return {
        team: created,
        key: (await createApiKey(trx, created.id, { name: 'First key', permission: 'full' })).key,
      };
    });
    console.log(`Team ${team.id}: ${team.name}\nFull-access key, shown only now:\n${key}`);
  });
}
