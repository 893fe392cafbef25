/**
 * Decides whether a team may store more (TEAM_STORAGE_MB, or its own limit). The figure is that of the last count
 * (count-storage.ts) and the bytes of everything that was accepted since then, by any process.
 * - Each process keeps the figures of the teams that it serves, and adds what it accepts. It writes these sums to the
 *   database every few seconds, so no write waits for another one of its team. Processes may together accept a few
 *   seconds' worth too much.
 * - A request counts with its own size, which is close to what it stores. The next count corrects it.
 * - While a team is over its limit, it is counted again when it tries to store something, so that deleting helps within a
 *   minute or two.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Log } from '../../../platform/log.ts';
import type { StorageRoom, TeamStorage } from '../../instance/facts.ts';
import { enqueue } from '../../jobs/jobs.ts';
import { markLevels, MIB } from './storage-levels.ts';

interface Entry {
  /** Null without a limit. */
  limitBytes: number | null;
  usedBytes: number;
  /** What this process has accepted and not yet written to the database. */
  pendingBytes: number;
  freshUntilMs: number;
}

export interface OpenTeamStorage extends TeamStorage {
  /** Writes what is pending. */
  close(): Promise<void>;
}

const FRESH_MS = 30_000;
/** A team over its limit waits for the result of its deletions. */
const FULL_FRESH_MS = 2_000;
const WRITE_EVERY_MS = 5_000;
const MAX_ENTRIES = 10_000;
/** A count may take at most a twentieth of the time. */
const COUNT_SHARE = 20;

export function openTeamStorage(db: Db, defaultMb: number, log: Log): OpenTeamStorage {
  const entries = new Map<number, Entry>();

  async function load(teamId: number): Promise<Entry> {
    const known = entries.get(teamId);
    if (known && performance.now() < known.freshUntilMs) return known;
    const { limitBytes, usedBytes, mayCount } = await readStorage(db, teamId, defaultMb);
    if (entries.size >= MAX_ENTRIES) entries.delete(entries.keys().next().value!);
    // Later readers and the writer of pending bytes use the same object.
    const entry = entries.get(teamId) ?? { limitBytes, usedBytes, pendingBytes: 0, freshUntilMs: 0 };
    entries.set(teamId, entry);
    const isFull = limitBytes !== null && usedBytes + entry.pendingBytes >= limitBytes;
    const freshUntilMs = performance.now() + (isFull ? FULL_FRESH_MS : FRESH_MS);
    Object.assign(entry, { limitBytes, usedBytes, freshUntilMs });
    if (isFull && mayCount) await requestCount(db, teamId);
    return entry;
  }

  function roomOf(teamId: number, loaded: Entry): StorageRoom {
    const current = () => entries.get(teamId) ?? loaded;
    function fits(bytes: number): boolean {
      const entry = current();
      const { limitBytes } = entry;
      const used = entry.usedBytes + entry.pendingBytes;
      if (limitBytes === null || (used < limitBytes && used + bytes <= limitBytes)) return true;
      entry.freshUntilMs = Math.min(entry.freshUntilMs, performance.now() + FULL_FRESH_MS);
      return false;
    }
    function add(bytes: number): void {
      const entry = current();
      if (entry.limitBytes !== null) entry.pendingBytes += bytes;
    }
    return {
      fits,
      add,
      require(bytes) {
        if (!fits(bytes)) throw overQuota(current());
        add(bytes);
      },
    };
  }

  async function write(): Promise<void> {
    const pending = [...entries].filter(([, { pendingBytes }]) => pendingBytes > 0);
    if (pending.length === 0) return;
    const added = pending.map(([, { pendingBytes }]) => pendingBytes);
    const teamIds = pending.map(([teamId]) => teamId);
    await sql`
      insert into team_storage (team_id, added)
      select t.id, given.added from unnest(${teamIds}::integer[], ${added}::bigint[]) as given (team_id, added)
      join teams t on t.id = given.team_id order by t.id
      on conflict (team_id) do update set added = team_storage.added + excluded.added`.execute(db);
    pending.forEach(([, entry], at) => {
      entry.pendingBytes -= added[at]!;
      entry.usedBytes += added[at]!;
    });
    await markLevels(db, teamIds, defaultMb);
  }
  const writeSafely = () =>
    write().catch((error: unknown) => log.warn({ err: error }, 'storage: could not be recorded'));
  const timer = setInterval(() => void writeSafely(), WRITE_EVERY_MS).unref();

  return {
    defaultMb,
    look: async (teamId) => roomOf(teamId, await load(teamId)),
    async close() {
      clearInterval(timer);
      await writeSafely();
    },
  };
}

async function readStorage(db: Db, teamId: number, defaultMb: number) {
  const { rows } = await sql<{ mb: number; usedBytes: number; mayCount: boolean }>`
    select coalesce(t.storage_mb, ${defaultMb}::integer) as mb,
      coalesce(s.bytes + s.added, 0) as "usedBytes",
      coalesce(s.counted_at < now() - greatest(interval '1 minute', s.count_ms * ${COUNT_SHARE}::integer
        * interval '1 ms'), true) as "mayCount"
    from teams t left join team_storage s on s.team_id = t.id
    where t.id = ${teamId}`.execute(db);
  const { mb = 0, usedBytes = 0, mayCount = false } = rows[0] ?? {};
  return { limitBytes: mb === 0 ? null : mb * MIB, usedBytes, mayCount };
}

/** Counts of all teams run one after another. */
async function requestCount(db: Db, teamId: number): Promise<void> {
  await enqueue(
    db,
    'count-team-storage',
    { teamId },
    { jobKey: `count-storage-${teamId}`, queue: 'storage' },
  );
}

function overQuota({ usedBytes, pendingBytes, limitBytes }: Entry): AppError {
  return new AppError(
    'BAD_REQUEST',
    `Your team uses ${toMib(usedBytes + pendingBytes)} of its ${toMib(limitBytes ?? 0)} MiB of storage, so this does not fit. Delete what you no longer need, or ask the operator of this server for more.`,
    { reason: 'over-quota' },
  );
}

function toMib(bytes: number): string {
  return (Math.round((bytes / MIB) * 10) / 10).toString();
}
