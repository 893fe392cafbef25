/**
 * Who a key belongs to, without a query on the hot path.
 *
 * A key that was found once is remembered until the database says that it changed (a trigger on api_keys
 * notifies `api_key_changed` with the key's hash). While notifications may be missed nothing is remembered,
 * so a revoked key is out within a second in every process. `last used` is collected here and written in one
 * statement every few seconds.
 */
import { sql } from 'kysely';
import { sha256 } from '../../platform/crypto.ts';
import type { Db } from '../../platform/database.ts';
import { encodeId } from '../../platform/ids.ts';
import type { Listener } from '../../platform/notifications.ts';
import type { Caller } from '../../platform/route.ts';

export const KEY_CHANGED = 'api_key_changed';
/** Instead of one key's hash: every key may have changed. */
export const ALL_KEYS = '*';

export interface Keyring {
  /** Null for a key that is unknown, revoked or expired. */
  identify(key: string): Promise<Caller | null>;
  writeLastUsed(): Promise<void>;
  listener: Listener;
}

interface Entry {
  caller: Caller;
  keyUuid: string;
  expiresMs: number;
  /** A notification lost on the way must not let a revoked key in for ever. */
  freshUntilMs: number;
}

const MAX_ENTRIES = 10_000;
const FRESH_MS = 60_000;

/** `isListening` says whether notifications arrive; without them nothing may be remembered. */
export function createKeyring(db: Db, isListening: () => boolean): Keyring {
  const entries = new Map<string, Entry>();
  const lastUsed = new Map<string, { teamId: number; at: number }>();
  // Counts forgettings: what was read from the database before one must not be remembered after it.
  let generation = 0;

  async function load(hash: Buffer, cacheKey: string, nowMs: number): Promise<Entry | undefined> {
    const before = generation;
    const row = await findKey(db, hash);
    if (!row) return undefined;
    const entry: Entry = {
      caller: {
        teamId: row.teamId,
        keyId: encodeId('key', row.id),
        permission: row.permission,
        domainId: row.domainId,
      },
      keyUuid: row.id,
      expiresMs: row.expiresAt?.getTime() ?? Infinity,
      freshUntilMs: nowMs + FRESH_MS,
    };
    if (before === generation && isListening()) {
      if (entries.size >= MAX_ENTRIES) entries.delete(entries.keys().next().value!);
      entries.set(cacheKey, entry);
    }
    return entry;
  }

  return {
    async identify(key) {
      const hash = sha256(key);
      const cacheKey = hash.toString('hex');
      const nowMs = Date.now();
      let entry = entries.get(cacheKey);
      if (!entry || entry.freshUntilMs < nowMs) entry = await load(hash, cacheKey, nowMs);
      if (!entry || entry.expiresMs <= nowMs) return null;
      lastUsed.set(entry.keyUuid, { teamId: entry.caller.teamId, at: nowMs });
      return entry.caller;
    },

    async writeLastUsed() {
      if (lastUsed.size === 0) return;
      const used = [...lastUsed];
      lastUsed.clear();
      await sql`
        update api_keys as k set last_used_at = greatest(k.last_used_at, to_timestamp(u.at / 1000.0))
        from unnest(
          ${used.map(([, { teamId }]) => teamId)}::integer[],
          ${used.map(([uuid]) => uuid)}::uuid[],
          ${used.map(([, { at }]) => at)}::double precision[]
        ) as u (team_id, id, at)
        where k.team_id = u.team_id and k.id = u.id
      `.execute(db);
    },

    listener: {
      channel: KEY_CHANGED,
      onNotification(hash) {
        generation += 1;
        if (hash === ALL_KEYS) entries.clear();
        else entries.delete(hash);
      },
      onGap() {
        generation += 1;
        entries.clear();
      },
    },
  };
}

async function findKey(db: Db, hash: Buffer) {
  const { rows } = await sql<{
    teamId: number;
    id: string;
    permission: Caller['permission'];
    domainId: number | null;
    expiresAt: Date | null;
  }>`
    select team_id as "teamId", id, permission, domain_id as "domainId", expires_at as "expiresAt"
    from api_keys where key_hash = ${hash} and revoked_at is null
  `.execute(db);
  return rows[0];
}
