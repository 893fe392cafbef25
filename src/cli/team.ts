import type { Config } from '../config.ts';
import { OPERATOR, recordAudit } from '../features/audit/record-audit.ts';
import { createApiKey } from '../features/identity/api-keys/api-keys.ts';
import { createSetupLink, setupUrl } from '../features/identity/people/setup.ts';
import { countStorage } from '../features/account/storage/count-storage.ts';
import { getTeamStorage, setTeamLimit } from '../features/account/storage/storage-figures.ts';
import { createTeam } from '../features/account/teams/teams.ts';
import { parseAddress } from '../mail/mime/address.ts';
import { inTransaction } from '../platform/database/database.ts';
import { forgetCommand, moveCommand } from './team-move.ts';
import { readOptions, requireOption, requireTeamId, unknownSubcommand, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

export async function teamCommand([verb, ...args]: string[], config: Config): Promise<void> {
  if (verb === 'create') return create(args, config);
  if (verb === 'link') return link(args, config);
  if (verb === 'storage') return storage(args, config);
  if (verb === 'move') return moveCommand(args, config);
  if (verb === 'forget') return forgetCommand(args, config);
  throw unknownSubcommand(verb, ['create', 'link', 'storage', 'move', 'forget']);
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
  await withInstance(config, async ({ db, secret }) => {
    const token = await inTransaction(db, async (trx) => {
      const made = await createSetupLink(trx, teamId, email);
      const record = { actor: OPERATOR, action: 'team.setup-link-created', target: String(teamId) };
      await recordAudit(trx, secret, teamId, record);
      return made;
    });
    const url = setupUrl(config.baseUrl, token);
    const whose = email === undefined ? '' : ` for ${email}`;
    console.log(`Use this link once to create the owner account of team ${teamId}${whose}:\n${url}`);
  });
}

/** `--mb default` lets TEAM_STORAGE_MB apply again. Without --mb the figures are only printed. */
async function storage(args: string[], config: Config): Promise<void> {
  const { options } = readOptions(args, ['team', 'mb']);
  const teamId = requireTeamId(options.team);
  const { mb } = options;
  if (mb !== undefined && mb !== 'default' && !/^\d{1,9}$/.test(mb))
    throw new UsageError('--mb must be a number of MiB, 0 for no limit, or default.');
  await withInstance(config, async ({ db }) => {
    if (mb !== undefined) await setTeamLimit(db, teamId, mb === 'default' ? null : Number(mb));
    await countStorage(db, teamId, config.teamStorageMb);
    const { usedBytes, limitBytes } = await getTeamStorage(db, teamId, config.teamStorageMb);
    const limit = limitBytes === null ? 'without a limit' : `of ${showMib(limitBytes)} MiB`;
    console.log(`Team ${teamId} uses ${showMib(usedBytes)} MiB ${limit}.`);
  });
}

function showMib(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
