/**
 * Maps a session token to its caller without a query per request (see lookup-cache.ts). A trigger notifies when a
 * session ends or moves to another team, and when the person's role changes. Last-seen times are collected in memory
 * and written in one statement every few seconds, which also extends the session to 30 days after its last use.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { encodeId } from '../../../platform/ids.ts';
import type { Listener } from '../../../platform/database/notifications.ts';
import { createLastUsed } from '../../../platform/last-used.ts';
import { createLookupCache } from '../../../platform/database/lookup-cache.ts';
import type { CamelRow } from '../../../platform/database/rows.ts';
import { personCaller, type Caller } from '../../api/caller.ts';
import type { Role } from '../../api/roles.ts';
import { refuseClosed, TEAM_STATE, type TeamState } from '../../instance/closed-teams.ts';
import { SESSION_DAYS } from './sessions.ts';

export const SESSION_CHANGED = 'session_changed';

export interface SessionCache {
  /** Null for a session that is unknown, ended or expired. */
  identify(token: string): Promise<Caller | null>;
  forget(token: string): void;
  writeLastSeen(): Promise<void>;
  listener: Listener;
}

interface Entry {
  caller: Caller;
  sessionUuid: string;
  /** A time on this process's monotonic clock, computed from the remaining time that the database reports. */
  expiresMs: number;
}

export function createSessionCache(db: Db, isListening: () => boolean): SessionCache {
  const cache = createLookupCache(SESSION_CHANGED, isListening, (hash) => findSession(db, hash));
  const lastSeen = createLastUsed<{ teamId: number }>();

  return {
    async identify(token) {
      const entry = await cache.find(token);
      if (!entry || entry.expiresMs <= performance.now()) return null;
      lastSeen.note(entry.sessionUuid, { teamId: entry.caller.teamId });
      return entry.caller;
    },

    forget: cache.forget,

    async writeLastSeen() {
      const seen = lastSeen.take();
      if (seen.length === 0) return;
      // Updates the sessions, and the memberships of their people. Another process may be ending or updating these
      // rows. SKIP LOCKED avoids deadlocks; last-seen is best effort.
      await sql`
        with seen as (
          select * from unnest(
            ${seen.map(({ teamId }) => teamId)}::integer[],
            ${seen.map(({ id }) => id)}::uuid[],
            ${seen.map(({ ageMs }) => ageMs)}::double precision[]
          ) as g (team_id, id, age_ms)
        ), locked as (
          select s.team_id, s.id, s.user_id, now() - make_interval(secs => g.age_ms / 1000.0) as seen_at
          from sessions s join seen g on s.team_id = g.team_id and s.id = g.id
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

    listener: cache.listener,
  };
}

async function findSession(db: Db, hash: Buffer): Promise<Entry | undefined> {
  interface SessionRow extends TeamState, CamelRow<'sessions', 'team_id' | 'id' | 'user_id'> {
    role: Role;
    expiresInMs: number;
  }
  const { rows } = await sql<SessionRow>`
    select s.team_id as "teamId", s.id, s.user_id as "userId", m.role,
      (extract(epoch from s.expires_at - now()) * 1000)::float8 as "expiresInMs", ${TEAM_STATE}
    from sessions s join memberships m on m.team_id = s.team_id and m.user_id = s.user_id
    join teams t on t.id = s.team_id
    where s.token_hash = ${hash}
  `.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  refuseClosed(row);
  const userId = encodeId('usr', row.userId);
  const person = { userId, sessionId: encodeId('ses', row.id), role: row.role };
  return {
    caller: personCaller(row.teamId, person),
    sessionUuid: row.id,
    expiresMs: performance.now() + row.expiresInMs,
  };
}
