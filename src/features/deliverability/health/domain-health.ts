/**
 * The health of a domain. Looking costs up to a hundred DNS look-ups and a few requests, so results are kept for a short
 * time, and only a few domains are looked at together.
 */
import { keepToDomain } from '../../api/bound-keys.ts';
import type { Caller } from '../../api/caller.ts';
import { createTeamQueue } from '../../../platform/concurrency/team-queue.ts';
import type { Db } from '../../../platform/database/database.ts';
import { notFound } from '../../../platform/errors.ts';
import { parseDomainName } from '../../../mail/auth/dns-records.ts';
import type { Facts } from '../../instance/facts.ts';
import { domainHostsOf, HOST_COLUMNS, presentTracking } from '../../sending/domains/domain-hosts.ts';
import { KEY_COLUMNS, publicKeysOf } from '../../sending/domains/public-keys.ts';
import { isTrustedName } from '../../sending/domains/sandbox-domains.ts';
import { checkHealth, scoreOf } from './check-health.ts';
import type { HealthTools } from './health-subject.ts';
import type { DomainHealth } from './health.schema.ts';

const FRESH_MS = 20_000;
const MAX_KEPT = 2_000;
const lookQueue = createTeamQueue({ atOnce: 8, perTeam: 2 });

interface Kept {
  /** Changes with the domain, so that a new setting is looked at right away. */
  version: string;
  atMs: number;
  health: Promise<DomainHealth>;
}

/** One for each process, because tests run several in one. */
const keptOf = new WeakMap<object, Map<number, Kept>>();

export async function getDomainHealth(
  db: Db,
  caller: Caller,
  facts: Facts,
  id: number,
): Promise<DomainHealth> {
  keepToDomain(caller, id);
  const row = await db
    .selectFrom('domains')
    .select([...KEY_COLUMNS, ...HOST_COLUMNS, 'name', 'updated_at'])
    .where('team_id', '=', caller.teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw notFound('Domain');
  const checked = {
    domain: parseDomainName(row.name)!,
    keys: publicKeysOf(row),
    hosts: domainHostsOf(row, facts),
    tracking: presentTracking(row),
    mtaSts: row.mta_sts,
    hasMailboxes: await hasMailboxes(db, caller.teamId, row.name),
    isTrusted: isTrustedName(row.name, facts),
  };
  return remember(facts.secret, id, JSON.stringify([row.updated_at, checked]), () =>
    lookQueue(caller.teamId, async () => {
      const checks = await checkHealth(toolsOf(facts), checked);
      return { ...scoreOf(checks), checkedAt: new Date().toISOString(), checks };
    }),
  );
}

function toolsOf(facts: Facts): HealthTools {
  const { dns, fetchFile } = facts;
  return { dns, fetchFile, settings: { ...facts, certificate: readSafely(facts) } };
}

function readSafely({ readCertificate }: Pick<Facts, 'readCertificate'>): string | null {
  try {
    return readCertificate();
  } catch {
    return null;
  }
}

async function hasMailboxes(db: Db, teamId: number, domain: string): Promise<boolean> {
  const query = db
    .selectFrom('mailboxes')
    .select('id')
    .where('team_id', '=', teamId)
    .where('domain', '=', domain);
  return (await query.executeTakeFirst()) !== undefined;
}

async function remember(
  owner: object,
  id: number,
  version: string,
  look: () => Promise<DomainHealth>,
): Promise<DomainHealth> {
  const kept = keptOf.get(owner) ?? new Map<number, Kept>();
  keptOf.set(owner, kept);
  const known = kept.get(id);
  if (known && known.version === version && Date.now() - known.atMs < FRESH_MS) return known.health;
  kept.delete(id);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!);
  const health = look();
  kept.set(id, { version, atMs: Date.now(), health });
  health.catch(() => kept.delete(id));
  return health;
}
