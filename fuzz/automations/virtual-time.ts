/**
 * A server whose automations move by a clock of their own: the engine is called here, and what runs remember of times is
 * moved into the past instead of waiting. Each run has its own clock.
 */
import { sql } from 'kysely';
import { pino } from 'pino';
import { expect } from 'vitest';
import { readStream } from '../../src/features/automations/engine/read-stream.ts';
import { runDue } from '../../src/features/automations/engine/run-due.ts';
import { createPublicLinks } from '../../src/features/content/links/links.ts';
import { mailboxActions } from '../../src/features/mailboxes/writing/automation-mail.ts';
import { toJson } from '../../src/platform/database/database.ts';
import { addVerifiedDomain } from '../../src/testing/fixtures/relay-world.ts';
import { startTestServer, type TestServer, type TestTeam } from '../../src/testing/test-server.ts';

export interface WaitingRun {
  /** Its UUID. */
  id: string;
  automationId: string;
  contactId: string;
  step: string;
  waitingFor: string | null;
  heldBy: string | null;
  /** How long until it is due, in milliseconds. */
  waitMs: number;
}

export interface VirtualWorld {
  server: TestServer;
  team: TestTeam;
  /** Throws unless the answer is 200. */
  // oxlint-disable-next-line typescript/no-explicit-any
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** Lets the engine do everything that is due. */
  settle(): Promise<void>;
  /** The runs that wait, by the UUIDs of their automations. */
  waiting(automationIds: readonly string[]): Promise<WaitingRun[]>;
  /** Moves the clocks of these runs. Events of their contacts move with them. */
  pass(times: readonly { id: string; ms: number }[]): Promise<void>;
  close(): Promise<void>;
}

export async function openVirtualWorld(): Promise<VirtualWorld> {
  const server = await startTestServer({ doors: ['http'] });
  const team = await server.createTeam();
  await addVerifiedDomain(server, team, 'fuzz.test');
  const log = pino({ level: 'silent' });
  const links = createPublicLinks(Buffer.alloc(32), 'http://127.0.0.1');
  const { db } = server;

  /** Other transactions of the same PostgreSQL hold the stream back for a while. */
  async function hasUnread() {
    const { rows } = await sql`
      select from events e, stream_readers r
      where r.name = 'automations' and (e.xid, e.id) > (r.xid, r.event_id) limit 1`.execute(db);
    return rows.length > 0;
  }

  async function settle() {
    let isIdle = false;
    while (!isIdle) {
      const read = await readStream(db, log);
      const { moved } = await runDue({ db, log, links, mailboxes: mailboxActions });
      isIdle = read === 0 && moved === 0 && !(await hasUnread());
    }
  }
  return {
    server,
    team,
    async call(method, path, body) {
      const answer = await team.call(method, path, body);
      expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200);
      return answer.body;
    },
    settle,
    async waiting(automationIds) {
      const { rows } = await sql<WaitingRun>`
        select id, automation_id as "automationId", contact_id as "contactId", step, waiting_for as "waitingFor",
          held_by as "heldBy", extract(epoch from due_at - now())::float8 * 1000 as "waitMs"
        from automation_runs where status = 'ACTIVE' and automation_id = any(${[...automationIds]}::uuid[]) order by id
      `.execute(db);
      return rows;
    },
    async pass(times) {
      await sql`
        with passed as (
          select r.team_id, r.id, r.contact_id, t.ms * interval '1 millisecond' as time
          from json_to_recordset(${toJson([...times])}::json) as t (id uuid, ms float8) join automation_runs r on r.id = t.id
        ), of_events as (
          update custom_events e set occurred_at = e.occurred_at - p.time from passed p
          where e.team_id = p.team_id and e.contact_id = p.contact_id
        )
        update automation_runs r set due_at = r.due_at - p.time, entered_at = r.entered_at - p.time,
          started_at = r.started_at - p.time
        from passed p where r.team_id = p.team_id and r.id = p.id
      `.execute(db);
    },
    close: () => server.close(),
  };
}
