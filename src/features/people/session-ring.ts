/**
 * Who a session belongs to, without a query on the hot path (see remembered.ts): a trigger notifies when a session
 * ends or changes its team, and when its person's role changes. When it was last seen is collected here and written
 * in one statement every few seconds; that also moves its end, 30 days ahead of each use.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/database.ts';
import { encodeId } from '../../platform/ids.ts';
import type { Listener } from '../../platform/notifications.ts';
import { createRemembered } from '../../platform/remembered.ts';
import type { Caller, Role } from '../../platform/route.ts';
import { SESSION_DAYS } from './sessions.ts';

export const SESSION_CHANGED = 'session_changed';

export interface SessionRing {
  /** Null for a session that is unknown, ended or expired. */
  identify(token: string): Promise<Caller | null>;
  forget(token: string): void;
  writeLastSeen(): Promise<void>;
  listener: Listener;
}

interface Entry {
  caller: Caller;
  sessionUuid: string;
  /** By the monotonic clock of this process. The database says how much time is left. */
  expiresMs: number;
}

export function createSessionRing(db: Db, isListening: () => boolean): SessionRing {
  const remembered = createRemembered(SESSION_CHANGED, isListening, (hash) => findSession(db, hash));
  const lastSeen = new Map<string, { teamId: number; at: number }>();

  return {
    async identify(token) {
      const entry = await remembered.find(token);
      const nowMs = performance.now();
      if (!entry || entry.expiresMs <= nowMs) return null;
      lastSeen.set(entry.sessionUuid, { teamId: entry.caller.teamId, at: nowMs });
      return entry.caller;
    },

    forget: remembered.forget,

    async writeLastSeen() {
      if (lastSeen.size === 0) return;
      const seen = [...lastSeen];
      lastSeen.clear();
      const nowMs = performance.now();
      // What another holds is being ended, or written down by another process: nothing here is worth waiting for,
      // and who does not wait is in no deadlock.
      await sql`
        with given as (
          select * from unnest(
            ${seen.map(([, { teamId }]) => teamId)}::integer[],
            ${seen.map(([uuid]) => uuid)}::uuid[],
            ${seen.map(([, { at }]) => nowMs - at)}::double precision[]
          ) as g (team_id, id, age_ms)
        ), locked as (
          select s.team_id, s.id, s.user_id, now() - make_interval(secs => g.age_ms / 1000.0) as seen_at
          from sessions s join given g on s.team_id = g.team_id and s.id = g.id
          for no key update of s skip locked
        ), sessions_seen as (
          update sessions s set
            last_seen_at = greatest(s.last_seen_at, l.seen_at),
            expires_at = greatest(s.expires_at, l.seen_at + make_interval(days => ${SESSION_DAYS}))
          from locked l where s.team_id = l.team_id and s.id = l.id
        ), people as (
          select m.team_id, m.user_id, p.seen_at
          from memberships m
          join (select team_id, user_id, max(seen_at) as seen_at from locked group by team_id, user_id) p
            on m.team_id = p.team_id and m.user_id = p.user_id
          for no key update of m skip locked
        )
        update memberships m set last_seen_at = greatest(m.last_seen_at, p.seen_at)
        from people p where m.team_id = p.team_id and m.user_id = p.user_id
      `.execute(db);
    },

    listener: remembered.listener,
  };
}

async function findSession(db: Db, hash: Buffer): Promise<Entry | undefined> {
  const { rows } = await sql<{ teamId: number; id: string; userId: string; role: Role; expiresInMs: number }>`
    select s.team_id as "teamId", s.id, s.user_id as "userId", m.role,
      (extract(epoch from s.expires_at - now()) * 1000)::float8 as "expiresInMs"
    from sessions s join memberships m on m.team_id = s.team_id and m.user_id = s.user_id
    where s.token_hash = ${hash}
  `.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  const userId = encodeId('usr', row.userId);
  const person = { userId, sessionId: encodeId('ses', row.id), role: row.role };
  return {
    caller: { teamId: row.teamId, by: `user:${userId}`, permission: 'full', domainId: null, person },
    sessionUuid: row.id,
    expiresMs: performance.now() + row.expiresInMs,
  };
}
