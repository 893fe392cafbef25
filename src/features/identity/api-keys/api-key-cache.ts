/**
 * Maps an API key to its caller without a query per request (see lookup-cache.ts). Last-used times are collected in
 * memory and written in one statement every few seconds.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import { encodeId } from '../../../platform/ids.ts';
import { createLastUsed } from '../../../platform/last-used.ts';
import type { Listener } from '../../../platform/database/notifications.ts';
import { createLookupCache } from '../../../platform/database/lookup-cache.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import type { Role } from '../../api/roles.ts';
import type { Scope } from '../../api/scopes.ts';
import { refuseClosed, TEAM_STATE, type TeamState } from '../../instance/closed-teams.ts';
import { networkFilter } from './networks.ts';

export const KEY_CHANGED = 'api_key_changed';

export interface ApiKeyCache {
  /** Null for a key that is unknown, revoked or expired. Throws FORBIDDEN if it may not be used from this address. */
  identify(key: string, ip: string): Promise<Caller | null>;
  writeLastUsed(): Promise<void>;
  listener: Listener;
}

interface Entry {
  caller: Caller;
  keyUuid: string;
  worksFrom(ip: string): boolean;
  /** A time on this process's monotonic clock, computed from the remaining time that the database reports. */
  expiresMs: number;
}

export function createApiKeyCache(db: Db, isListening: () => boolean): ApiKeyCache {
  const cache = createLookupCache(KEY_CHANGED, isListening, (hash) => findKey(db, hash));
  const lastUsed = createLastUsed<{ teamId: number }>();

  return {
    async identify(key, ip) {
      const entry = await cache.find(key);
      if (!entry || entry.expiresMs <= performance.now()) return null;
      if (!entry.worksFrom(ip))
        throw new AppError('FORBIDDEN', 'This API key cannot be used from this address.');
      lastUsed.note(entry.keyUuid, { teamId: entry.caller.teamId });
      return entry.caller;
    },

    async writeLastUsed() {
      const used = lastUsed.take();
      if (used.length === 0) return;
      await sql`
        update api_keys as k
        set last_used_at = greatest(k.last_used_at, now() - make_interval(secs => u.age_ms / 1000.0))
        from unnest(
          ${used.map(({ teamId }) => teamId)}::integer[],
          ${used.map(({ id }) => id)}::uuid[],
          ${used.map(({ ageMs }) => ageMs)}::double precision[]
        ) as u (team_id, id, age_ms)
        where k.team_id = u.team_id and k.id = u.id
      `.execute(db);
    },

    listener: cache.listener,
  };
}

/** The key, and the keys with scopes by which it was made. */
interface KeyRow
  extends
    TeamState,
    CamelRow<
      'api_keys',
      | 'team_id'
      | 'id'
      | 'scopes'
      | 'permission'
      | 'contact_book_ids'
      | 'mailbox_ids'
      | 'allowed_ips'
      | 'made_by_user'
      | 'policy_id'
      | 'client'
    > {
  domainIds: number[] | null;
  makerRole: Role | null;
  expiresInMs: number | null;
}

function findKey(db: Db, hash: Buffer): Promise<Entry | undefined> {
  return loadKey(db, {
    which: sql`k.key_hash = ${hash} or (k.previous_hash = ${hash} and k.previous_until > now())`,
    endsAt: sql`case when k.key_hash = ${hash} then k.expires_at else least(k.expires_at, k.previous_until) end`,
  });
}

/** What a key may do now. Undefined if it is revoked or expired. `keyUuid` is the UUID of the key. */
export async function findCallerOfKey(db: Db, teamId: number, keyUuid: string): Promise<Caller | undefined> {
  const which = sql`k.team_id = ${teamId} and k.id = ${keyUuid}`;
  const entry = await loadKey(db, { which, endsAt: sql`k.expires_at` });
  return entry && entry.expiresMs > performance.now() ? entry.caller : undefined;
}

interface WantedKey {
  /** The condition of the row `k`. */
  which: RawBuilder<unknown>;
  endsAt: RawBuilder<unknown>;
}

async function loadKey(db: Db, { which, endsAt }: WantedKey): Promise<Entry | undefined> {
  const { rows } = await sql<KeyRow>`
    with recursive line as (
      select 0 as depth, k.*, ${endsAt} as ends_at
      from api_keys k
      where (${which}) and k.revoked_at is null
      union all
      select l.depth + 1, m.*, m.expires_at from line l
      join api_keys m on m.team_id = l.team_id and m.id = l.made_by_key
      where m.permission = 'scoped' or m.policy_id is not null or m.made_by_user is not null or m.made_by_key is not null
    )
    select k.team_id as "teamId", k.id, k.permission, k.scopes, k.contact_book_ids as "contactBookIds",
      k.mailbox_ids as "mailboxIds",
      k.allowed_ips as "allowedIps", k.policy_id as "policyId", k.client, k.made_by_user as "madeByUser", m.role as "makerRole",
      case when k.domain_id is null then k.domain_ids else array[k.domain_id] end as "domainIds",
      (extract(epoch from k.ends_at - now()) * 1000)::float8 as "expiresInMs", ${TEAM_STATE}
    from line k join teams t on t.id = k.team_id
    left join memberships m on m.team_id = k.team_id and m.user_id = k.made_by_user
    order by k.depth
  `.execute(db);
  const [own, ...makers] = rows;
  if (!own) return undefined;
  refuseClosed(own);
  // A person who has left the team has no rights in it, and neither have the keys that they made.
  if (rows.some(({ madeByUser, makerRole }) => madeByUser !== null && makerRole === null)) return undefined;
  const scoped = makers.filter(({ permission }) => permission === 'scoped');
  const limits = [own, ...scoped].map(({ expiresInMs }) => expiresInMs ?? Infinity);
  const networks = [own, ...scoped].flatMap(({ allowedIps }) =>
    allowedIps ? [networkFilter(allowedIps)] : [],
  );
  return {
    caller: callerOf(own, scoped, rows),
    keyUuid: own.id,
    worksFrom: (ip) => networks.every((contains) => contains(ip)),
    expiresMs: performance.now() + Math.min(...limits),
  };
}

/** A key has no more rights than the keys with scopes that made it, and than the person at the beginning. */
function callerOf(own: KeyRow, scoped: KeyRow[], all: KeyRow[]): Caller {
  const scopes = (own.scopes ?? []).filter((scope) => scoped.every((maker) => maker.scopes?.includes(scope)));
  const books = narrow([own, ...scoped].map(({ contactBookIds }) => contactBookIds));
  return {
    teamId: own.teamId,
    by: encodeId('key', own.id),
    permission: own.permission,
    scopes: scopes as Scope[],
    domainIds: narrow([own, ...scoped].map(({ domainIds }) => domainIds)),
    mailboxIds: narrow([own, ...scoped].map(({ mailboxIds }) => mailboxIds)),
    contactBookIds: books?.map((id) => encodeId('cbk', id)) ?? null,
    policyIds: [...new Set(all.flatMap(({ policyId }) => policyId ?? []))],
    makerRole: all.find(({ makerRole }) => makerRole !== null)?.makerRole ?? null,
    person: null,
    actsFor: actsForOf(own),
  };
}

function actsForOf({ client, madeByUser, makerRole }: KeyRow): Caller['actsFor'] {
  return client !== null && madeByUser !== null && makerRole !== null
    ? { userId: encodeId('usr', madeByUser), role: makerRole }
    : null;
}

/** Returns what all of the lists contain. Null is a list of everything. */
function narrow<Id>(lists: (Id[] | null)[]): Id[] | null {
  const given = lists.filter((list) => list !== null);
  return given.length === 0 ? null : given[0]!.filter((id) => given.every((list) => list.includes(id)));
}
