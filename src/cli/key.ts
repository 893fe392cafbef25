import type { Config } from '../config.ts';
import { ownCaller } from '../features/api/caller.ts';
import { OPERATOR, recordAudit } from '../features/audit/record-audit.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../features/identity/api-keys/api-keys.ts';
import { findDomainId } from '../features/sending/domains/find-domain.ts';
import { requireTeam } from '../features/account/teams/teams.ts';
import { inTransaction, type Db } from '../platform/database/database.ts';
import { notFound } from '../platform/errors.ts';
import { readOptions, requireOption, requireTeamId, unknownSubcommand, UsageError } from './usage.ts';
import { withInstance } from './with-instance.ts';

export async function keyCommand([verb, ...args]: string[], config: Config): Promise<void> {
  if (verb === 'create') return create(args, config);
  if (verb === 'list') return list(args, config);
  if (verb === 'revoke') return revoke(args, config);
  throw unknownSubcommand(verb, ['create', 'list', 'revoke']);
}

async function create(args: string[], config: Config): Promise<void> {
  const { options } = readOptions(args, ['team', 'permission', 'domain', 'name']);
  const teamId = requireTeamId(options.team);
  const permission = requireOption(options.permission, 'permission');
  if (permission !== 'full' && permission !== 'sending')
    throw new UsageError('--permission must be full or sending.');
  await withInstance(config, async ({ db, secret }) => {
    await requireTeam(db, teamId);
    const domainId = options.domain === undefined ? null : await requireDomain(db, teamId, options.domain);
    const input = { name: options.name?.trim() || 'Created by command', permission, domainId } as const;
    const { id, key } = await inTransaction(db, async (trx) => {
      const created = await createApiKey(trx, teamId, input);
      const record = { actor: OPERATOR, action: 'api-key.created', target: created.id, after: input };
      await recordAudit(trx, secret, teamId, record);
      return created;
    });
    console.log(`Created key ${id} for team ${teamId} (${permission}). It is not shown again:\n${key}`);
  });
}

/** `domain` is the name or the number of a domain. */
async function requireDomain(db: Db, teamId: number, domain: string): Promise<number> {
  const id = /^\d{1,9}$/.test(domain) ? Number(domain) : await findDomainId(db, teamId, domain.toLowerCase());
  if (id === undefined) throw notFound('Domain');
  return id;
}

async function list(args: string[], config: Config): Promise<void> {
  const { options } = readOptions(args, ['team']);
  const teamId = requireTeamId(options.team);
  await withInstance(config, async ({ db }) => {
    await requireTeam(db, teamId);
    let cursor: string | undefined;
    do {
      const page = await listApiKeys(db, teamId, { limit: 100, cursor });
      for (const key of page.items) {
        const used = key.lastUsedAt ? `last used ${key.lastUsedAt}` : 'never used';
        console.log(
          `${key.id}  ${key.keyStart}…  ${(key.permission ?? 'scopes').padEnd(7)}  ${used}  ${key.name}`,
        );
      }
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
  });
}

async function revoke(args: string[], config: Config): Promise<void> {
  const { options, positionals } = readOptions(args, ['team'], { positionals: true });
  const teamId = requireTeamId(options.team);
  const [id, ...more] = positionals;
  if (more.length > 0) throw new UsageError('Give only one key ID. No key was revoked.');
  if (!id) throw new UsageError('Missing key ID. `posthorn key list` shows the IDs.');
  await withInstance(config, async ({ db, secret }) => {
    await inTransaction(db, async (trx) => {
      await revokeApiKey(trx, ownCaller(teamId, 'operator'), id);
      await recordAudit(trx, secret, teamId, { actor: OPERATOR, action: 'api-key.revoked', target: id });
    });
    console.log(`Revoked key ${id}.`);
  });
}
