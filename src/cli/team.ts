import type { Config } from '../config.ts';
import { createApiKey } from '../features/account/api-keys/api-keys.ts';
import { createSetupLink, setupUrl } from '../features/account/people/setup.ts';
import { createTeam } from '../features/account/teams/teams.ts';
import { parseAddress } from '../mail/mime/address.ts';
import { inTransaction } from '../platform/database/database.ts';
import { forgetCommand, moveCommand } from './team-move.ts';
import { readOptions, requireOption, requireTeamId, unknownSubcommand, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

export async function teamCommand([verb, ...args]: string[], config: Config): Promise<void> {
  if (verb === 'create') return create(args, config);
  if (verb === 'link') return link(args, config);
  if (verb === 'move') return moveCommand(args, config);
  if (verb === 'forget') return forgetCommand(args, config);
  throw unknownSubcommand(verb, ['create', 'link', 'move', 'forget']);
}

async function create(args: string[], config: Config): Promise<void> {
  const { options } = readOptions(args, ['name']);
  const name = requireOption(options.name, 'name');
  await withInstance(
    config,
    async ({ db }) => {
      const { team, key } = await inTransaction(db, async (trx) => {
        const created = await createTeam(trx, name);
        return {
          team: created,
          key: (await createApiKey(trx, created.id, { name: 'First key', permission: 'full' })).key,
        };
      });
      console.log(`Team ${team.id}: ${team.name}\nFull-access key (not shown again):\n${key}`);
    },
    { create: true },
  );
}

async function link(args: string[], config: Config): Promise<void> {
  const { options } = readOptions(args, ['team', 'email']);
  const teamId = requireTeamId(options.team);
  const { email } = options;
  if (email !== undefined && !parseAddress(email))
    throw new UsageError('--email must be a valid email address.');
  await withInstance(config, async ({ db }) => {
    const url = setupUrl(config.baseUrl, await createSetupLink(db, teamId, email));
    const whose = email === undefined ? '' : ` for ${email}`;
    console.log(`Use this link once to create the owner account of team ${teamId}${whose}:\n${url}`);
  });
}
