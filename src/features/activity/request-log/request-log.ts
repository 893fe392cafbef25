/**
 * Logs the requests of API keys: all that write or fail, and of those that read one a minute for each key and route.
 * Requests wait in memory and are written in batches after their responses, so that no request waits for its log entry.
 * A killed process loses what it has not written, and while the database is away the oldest entries are dropped.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.ts';
import type { DiskSpace } from '../../../platform/disk-space.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { toStorable } from '../../../platform/storable-text.ts';
import { findEmailId, toLoggedBody } from './logged-body.ts';

interface AnsweredRequest {
  teamId: number;
  keyId: string;
  method: string;
  path: string;
  /** The pattern of the path. */
  route: string;
  status: number;
  ms: number;
  requestId: string;
  userAgent: string | null;
  contentType: string | null;
  /** Null if there is none, or it is too large to be kept. */
  requestBody: Buffer | null;
  responseBody: string | null;
}

export interface RequestLog {
  note(request: AnsweredRequest): void;
  /** Writes what is waiting. */
  close(): Promise<void>;
}

/** Larger bodies are not logged. They would be cut anyway. */
export const LOGGED_BYTES = 64 * 1024;

const WRITE_EVERY_MS = 500;
const BATCH_SIZE = 500;
const MAX_WAITING = 5_000;
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const MAX_SLICE_MS = 10;
const READS_PER_MS = 60_000;
const MAX_TEXT = 500;

interface Waiting extends AnsweredRequest {
  id: string;
  at: Date;
}

export function createRequestLog(db: Db, log: Log, disk: DiskSpace): RequestLog {
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let writing: Promise<void> | null = null;
  let wasFailing = false;
  let readsSince = 0;
  const seenReads = new Set<string>();

  /** True for the first read of a key and a route within a minute. */
  function isSampled({ keyId, route }: AnsweredRequest): boolean {
    const nowMs = performance.now();
    if (nowMs - readsSince > READS_PER_MS || seenReads.size >= MAX_WAITING) {
      readsSince = nowMs;
      seenReads.clear();
    }
    const name = `${keyId} ${route}`;
    if (seenReads.has(name)) return false;
    seenReads.add(name);
    return true;
  }

  async function write(): Promise<void> {
    while (waiting.length > 0 && (await disk.fullSince()) === null) {
      const batch = waiting.slice(0, BATCH_SIZE);
      try {
        await insertRequests(db, batch);
        wasFailing = false;
      } catch (error) {
        if (!wasFailing) log.warn({ err: error, requests: batch.length }, 'request log: entries were lost');
        wasFailing = true;
      }
      waiting = waiting.slice(batch.length);
      waitingBytes = waiting.reduce((sum, request) => sum + sizeOf(request), 0);
    }
  }

  const timer = setInterval(() => {
    writing ??= write().finally(() => (writing = null));
  }, WRITE_EVERY_MS);

  return {
    note(request) {
      if (request.method === 'GET' && request.status < 400 && !isSampled(request)) return;
      const bytes = sizeOf(request);
      if (waiting.length >= MAX_WAITING || waitingBytes + bytes > MAX_WAITING_BYTES) return;
      waitingBytes += bytes;
      waiting.push({ ...request, id: newUuid(), at: new Date() });
    },
    async close() {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}

function sizeOf({ requestBody, responseBody }: AnsweredRequest): number {
  return (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
}

/** Requests of a team that has been deleted meanwhile are left out. */
async function insertRequests(db: Db, batch: Waiting[]): Promise<void> {
  const rows = [];
  let sliceMs = performance.now();
  for (const request of batch) {
    rows.push(toRow(request));
    if (performance.now() - sliceMs > MAX_SLICE_MS) {
      await nextTurn();
      sliceMs = performance.now();
    }
  }
  await sql`
    insert into request_log
      (team_id, id, at, method, path, status, duration_ms, key_id, request_id, user_agent, email_id, request_body, response_body)
    select r.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
      team_id integer, id uuid, at timestamptz, method text, path text, status smallint, duration_ms integer, key_id text,
      request_id text, user_agent text, email_id text, request_body text, response_body text
    ) join teams t on t.id = r.team_id`.execute(db);
}

function toRow(request: Waiting) {
  const { requestBody, responseBody, contentType, status } = request;
  return {
    team_id: request.teamId,
    id: request.id,
    at: request.at,
    method: request.method,
    path: shorten(request.path),
    status,
    duration_ms: Math.round(request.ms),
    key_id: request.keyId,
    request_id: request.requestId,
    user_agent: request.userAgent && shorten(request.userAgent),
    email_id: findEmailId(request.path, responseBody),
    request_body: requestBody && toLoggedBody(requestBody.toString('utf8'), contentType),
    response_body: responseBody === null ? null : toLoggedBody(responseBody, 'application/json'),
  };
}

function shorten(text: string): string {
  return toStorable(text.slice(0, MAX_TEXT));
}
