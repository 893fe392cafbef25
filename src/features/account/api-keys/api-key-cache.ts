/**
 * Maps an API key to its caller without a query per request (see lookup-cache.ts). Last-used times are collected in
 * memory and written in one statement every few seconds.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import { createLastUsed } from '../../../platform/last-used.ts';
import type { Listener } from '../../../platform/database/notifications.ts';
import { createLookupCache } from '../../../platform/database/lookup-cache.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import type { Caller } from '../../api/caller.ts';
import { refuseClosed, TEAM_STATE, type TeamState } from '../../instance/closed-teams.ts';

export const KEY_CHANGED = 'api_key_changed';

export interface ApiKeyCache {
  /** Null for a key that is unknown, revoked or expired. */
  identify(key: string): Promise<Caller | null>;
  writeLastUsed(): Promise<void>;
  listener: Listener;
}

interface Entry {
  caller: Caller;
  keyUuid: string;
  /** A time on this process's monotonic clock, computed from the remaining time that the database reports. */
  expiresMs: number;
}

export function createApiKeyCache(db: Db, isListening: () => boolean): ApiKeyCache {
  const cache = createLookupCache(KEY_CHANGED, isListening, (hash) => findKey(db, hash));
  const lastUsed = createLastUsed<{ teamId: number }>();

  return {
    async identify(key) {
      const entry = await cache.find(key);
      if (!entry || entry.expiresMs <= performance.now()) return null;
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

async function findKey(db: Db, hash: Buffer): Promise<Entry | undefined> {
  interface KeyRow extends TeamState, CamelRow<'api_keys', 'team_id' | 'id' | 'domain_id'> {
    permission: Caller['permission'];
    expiresInMs: number | null;
  }
  const { rows } = await sql<KeyRow>`
    select k.team_id as "teamId", k.id, k.permission, k.domain_id as "domainId",
      (extract(epoch from k.expires_at - now()) * 1000)::float8 as "expiresInMs", ${TEAM_STATE}
    from api_keys k join teams t on t.id = k.team_id where k.key_hash = ${hash} and k.revoked_at is null
  `.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  refuseClosed(row);
  const { teamId, id, permission, domainId, expiresInMs } = row;
  return {
    caller: { teamId, by: encodeId('key', id), permission, domainId, person: null },
    keyUuid: id,
    expiresMs: performance.now() + (expiresInMs ?? Infinity),
  };
}
