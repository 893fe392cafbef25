/** Automations: events that are taken, steps, and what runs that are due or wait cost the rest. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { decodeId } from '../src/platform/ids.ts';
import { createBook, type Book } from './contact-book.ts';
import { atMost, engineSettings, openEngineWorld, sendOurs, type EngineWorld } from './engine.bench.ts';
import { median, type Measured } from './measure.ts';
import { startWorker } from './posthorn.ts';
import type { SinkAnswer } from './sink-program.ts';
import { suite } from './suite.ts';
import { MOST_WAIT_MS, sendUrgent } from './urgent.bench.ts';

const EVENTS_AT_ONCE = 1_000;
const BATCHES = 60;
const CONNECTIONS = 4;
const WANTED_EVENTS = 10_000;
const PEOPLE_OF_STEPS = 20_000;
const WANTED_STEPS = 3_000;
const WARM_UP_STEPS = 5_000;
const PEOPLE_DUE = 100_000;
const WARM_UP_EMAILS = 500;
const WAITING = 1_000_000;
const MESSAGES = 4_000;
const ROUNDS = 3;

export const automationsSuite = suite(
  () => openEngineWorld(),
  [
    {
      name: 'POST events/batch of 1,000, 4 connections',
      unit: 'events/s',
      wanted: () => 1,
      measure: async (world) => atLeast(WANTED_EVENTS, await sendEvents(world)),
    },
    {
      name: 'automation steps without email',
      unit: 'steps/s',
      wanted: () => 1,
      measure: async (world) => atLeast(WANTED_STEPS, await takeSteps(world)),
    },
    {
      name: 'urgent mail beside 100,000 due runs, p99 from POST to delivery',
      unit: 'ms',
      wanted: () => 1,
      measure: async (world) => atMost(MOST_WAIT_MS, await waitBesideDueRuns(world)),
    },
    {
      name: 'sending, unsigned, beside 1,000,000 waiting runs',
      unit: 'messages/s',
      wanted: () => 0.9,
      isLong: true,
      measure: sendBesideWaitingRuns,
    },
  ],
);

function atLeast(wanted: number, ours: number): Measured {
  const ratio = ours / wanted;
  return { ours, limit: wanted, ratio, spread: [ratio, ratio] };
}

async function activate({ posthorn }: EngineWorld, book: Book, steps: object[]): Promise<string> {
  const input = { name: 'Bench', contactBookId: book.id, trigger: { event: 'go' }, steps };
  const { id } = (await posthorn.call('POST', '/automations', input)) as { id: string };
  await posthorn.call('POST', `/automations/${id}/activate`);
  return id;
}

/** An automation has them as its trigger, but nobody reads the stream meanwhile. */
async function sendEvents(world: EngineWorld): Promise<number> {
  const book = await createBook(world.posthorn, PEOPLE_OF_STEPS);
  await activate(world, book, [{ key: 'end', type: 'exit' }]);
  const { rows } = await sql<{ email: string }>`
    select email from contacts where contact_book_id = ${book.uuid} limit ${EVENTS_AT_ONCE}
  `.execute(world.posthorn.database.db);
  const events = rows.map(({ email }) => ({ name: 'go', email, data: { total: 42, plan: 'pro' } }));
  await world.posthorn.call('POST', '/events/batch', events);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let sent = 0; sent < BATCHES / CONNECTIONS; sent += 1)
        await world.posthorn.call('POST', '/events/batch', events);
    }),
  );
  return (BATCHES * EVENTS_AT_ONCE) / ((performance.now() - startedAt) / 1_000);
}

const HAS_EMAIL = { all: [{ field: 'email', op: 'exists' }] };

async function takeSteps(world: EngineWorld): Promise<number> {
  const { posthorn } = world;
  const book = await createBook(posthorn, PEOPLE_OF_STEPS);
  const id = await activate(world, book, [
    { key: 'look', type: 'condition', where: HAS_EMAIL },
    { key: 'split', type: 'split', shares: { a: 1, b: 1 } },
    { key: 'change', type: 'update', properties: { seen: true } },
    { key: 'again', type: 'condition', where: HAS_EMAIL },
    { key: 'pause', type: 'delay', for: '300 days' },
  ]);
  await posthorn.call('POST', `/automations/${id}/enroll`, { contactBookId: book.id });
  const count = async () => {
    const { rows } = await sql<{ steps: number }>`
      select sum(steps_done)::integer as steps from automation_runs where automation_id = ${decodeId('aut', id)}
    `.execute(posthorn.database.db);
    return rows[0]!.steps;
  };
  const worker = startWorker(posthorn, engineSettings(world, false));
  const until = async (steps: number) => {
    let done = await count();
    for (; done < steps; done = await count()) await sleep(50);
    return { done, at: performance.now() };
  };
  const first = await until(WARM_UP_STEPS);
  const last = await until(4 * PEOPLE_OF_STEPS);
  await worker.stop();
  return (last.done - first.done) / ((last.at - first.at) / 1_000);
}

async function waitBesideDueRuns(world: EngineWorld): Promise<number> {
  const { posthorn, sink } = world;
  const book = await createBook(posthorn, PEOPLE_DUE);
  const email = {
    key: 'hello',
    type: 'email',
    from: 'a@bench.test',
    subject: 'Hello',
    html: '<p>{{firstName}}</p>',
  };
  const id = await activate(world, book, [email]);
  await posthorn.call('POST', `/automations/${id}/enroll`, { contactBookId: book.id });
  const worker = startWorker(posthorn, engineSettings(world, true));
  await sink.ask<SinkAnswer>({ expect: WARM_UP_EMAILS, warmUp: 0 });
  const waits = await sendUrgent(world);
  const { rows } = await sql<{ due: number }>`
    select count(*)::integer as due from automation_runs where status = 'ACTIVE' and due_at <= now()
  `.execute(posthorn.database.db);
  await worker.stop();
  if (rows[0]!.due === 0) throw new Error('No run was due any more.');
  await sql`delete from automation_runs`.execute(posthorn.database.db);
  await sql`truncate deliveries`.execute(posthorn.database.db);
  return waits[Math.ceil(waits.length * 0.99) - 1]!;
}

/** The limit is the same without them. */
async function sendBesideWaitingRuns(world: EngineWorld): Promise<Measured> {
  const worker = startWorker(world.posthorn, engineSettings(world, false));
  const measure = async () => {
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await sendOurs(world, MESSAGES));
    return rounds;
  };
  const limits = await measure();
  await addWaitingRuns(world);
  const rounds = await measure();
  await worker.stop();
  const [ours, limit] = [median(rounds), median(limits)];
  return {
    ours,
    limit,
    ratio: ours / limit,
    spread: [Math.min(...rounds) / limit, Math.max(...rounds) / limit],
  };
}

async function addWaitingRuns(world: EngineWorld): Promise<void> {
  const { db } = world.posthorn.database;
  const book = await createBook(world.posthorn, 1);
  const wait = { key: 'wait', type: 'wait', event: 'never', timeout: '300 days' };
  const id = await activate(world, book, [wait]);
  await sql`
    insert into automation_runs (team_id, id, automation_id, version, contact_book_id, contact_id, address_key, step,
      due_at, waiting_for, entry_key)
    select ${book.teamId}, uuidv7(), ${decodeId('aut', id)}, 1, ${book.uuid}, uuidv7(), number || '@waiting.example',
      'wait', now() + interval '300 days', 'never', 'bench'
    from generate_series(1, ${WAITING}::integer) as number
  `.execute(db);
  await sql`vacuum analyze automation_runs`.execute(db);
}
