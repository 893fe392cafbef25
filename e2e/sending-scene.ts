/** Real processes that send to a counting sink. The database outlives the processes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openDatabase } from '../src/platform/database/database.ts';
import { openEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { startSmtpSink } from '../src/testing/smtp-sink.ts';
import type { Call } from '../src/testing/test-server.ts';
import { startProgram, type RunningProgram } from './running.ts';

const KEY = 'c'.repeat(40);
const BULK = 5_000;
const LOOK_MS = 5;

interface Tally {
  /** How many different emails arrived: by recipient and subject. */
  reached: number;
  /** The number of repeated emails. */
  repeated: number;
  /** True if every repeated email had the Message-ID of the first. */
  sameMessageIds: boolean;
}

export interface SendingScene {
  call: Call;
  /** Of the database. */
  url: string;
  programs: RunningProgram[];
  /** Starts one more sending process. */
  startProcess(): Promise<RunningProgram>;
  /** Ends a process and starts another in its place. Repeated calls go through all processes in turn. */
  replace(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  restartDatabase(): Promise<void>;
  /** Resolves when this many emails have arrived. */
  waitForEmails(count: number): Promise<void>;
  count(): Tally;
  close(): Promise<void>;
}

/** The emails are unsigned, so that the kills hit fast sending instead of slow signing. */
export async function openSendingScene(): Promise<SendingScene> {
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-sending-'));
  const clusterDir = mkdtempSync(join(tmpdir(), 'posthorn-cluster-'));
  let postgres = await openEmbeddedPostgres(clusterDir, { durable: false });
  const { url } = postgres;
  const sink = await startSmtpSink();
  const programs: RunningProgram[] = [];

  async function startProcess(doors = 'worker'): Promise<RunningProgram> {
    const program = await startProgram(
      dataDir,
      {
        DATABASE_URL: url,
        BOOTSTRAP_API_KEY: KEY,
        MAIL_TRANSPORT: 'relay',
        RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
        DKIM_SIGN: 'false',
        MAIL_HOST: 'mx.posthorn.example',
        LOG_LEVEL: 'fatal',
      },
      ['--doors', doors],
    );
    if (doors.includes('http')) await program.ready();
    return program;
  }

  const door = await startProcess('http');
  const call = door.call(KEY);
  await call('POST', '/domains', { name: 'news.test' });
  const { db, close } = openDatabase(url, { connections: 1, onError: () => {} });
  await sql`update domains set held = true, status = 'SUCCESS'`.execute(db);
  await close();

  return {
    call,
    url,
    programs,
    startProcess,
    async replace(signal) {
      await programs.shift()!.stop(signal);
      programs.push(await startProcess());
    },
    async restartDatabase() {
      await postgres.leave();
      postgres = await openEmbeddedPostgres(clusterDir, { durable: false });
    },
    waitForEmails: (count) => until(() => sink.messages.length >= count, `${count} emails`),
    count() {
      const messageIds = new Map<string, Set<string>>();
      for (const { recipients, data } of sink.messages) {
        const text = data.toString('latin1');
        const email = `${recipients[0]} ${/^Subject: (.*)$/im.exec(text)?.[1]}`;
        const ids = messageIds.get(email) ?? new Set();
        messageIds.set(email, ids.add(/^Message-ID: (\S+)/im.exec(text)![1]!));
      }
      return {
        reached: messageIds.size,
        repeated: sink.messages.length - messageIds.size,
        sameMessageIds: [...messageIds.values()].every((ids) => ids.size === 1),
      };
    },
    async close() {
      for (const program of [...programs, door]) await program.stop('SIGTERM');
      await sink.close();
      await postgres.leave();
      for (const folder of [dataDir, clusterDir]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function until(
  isThere: () => boolean | Promise<boolean>,
  what: string,
  { timeoutMs = 120_000, everyMs = LOOK_MS } = {},
) {
  for (const deadline = Date.now() + timeoutMs; !(await isThere());) {
    if (Date.now() > deadline) throw new Error(`Waited too long for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Adds people to a new contact book. Returns its ID. */
export async function addPeople(call: Call, people: number): Promise<string> {
  const { body: book } = await call('POST', '/contactBooks', { name: 'Everyone' });
  for (let from = 0; from < people; from += BULK) {
    const contacts = Array.from({ length: Math.min(BULK, people - from) }, (_, at) => ({
      email: addressOf(from + at),
      firstName: `U${from + at}`,
    }));
    await call('POST', `/contactBooks/${book.id}/contacts/bulk`, contacts);
  }
  return book.id;
}

export function addressOf(person: number): string {
  return `u${person}@example.org`;
}
