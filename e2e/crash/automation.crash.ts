/**
 * Tests automations with crashes of processes and of the database, about once a second, while everyone goes through
 * five steps: `npm run test:crash`. There are 20,000 people unless CRASH_PEOPLE is set.
 */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/platform/database/database.ts';
import { addPeople, addressOf, openSendingScene, until, type SendingScene } from '../sending-scene.ts';

const PEOPLE = Number(process.env.CRASH_PEOPLE ?? 20_000);
const BATCH = 1_000;
const MOST_REPEATED_PER_KILL = 50;
const END_MS = 25 * 60_000;
const STEPS = ['one', 'mark', 'pause', 'two', 'end'];

interface Accident {
  name: string;
  processes: number;
  /** The maximum number of repeated emails per crash. */
  mayRepeat: number;
  happen(scene: SendingScene): Promise<void>;
}

const ACCIDENTS: Accident[] = [
  ...[1, 2].map((processes) => ({
    name: '`kill -9` and a new process',
    processes,
    mayRepeat: MOST_REPEATED_PER_KILL,
    happen: (scene: SendingScene) => scene.replace('SIGKILL'),
  })),
  {
    name: 'the database stopped and started',
    processes: 2,
    mayRepeat: MOST_REPEATED_PER_KILL,
    happen: (scene) => scene.restartDatabase(),
  },
];

test.each(ACCIDENTS)(
  '$name, again and again, with $processes processes',
  async ({ processes, mayRepeat, happen }) => {
    const scene = await openSendingScene();
    try {
      const id = await prepareAutomation(scene);
      for (let at = 0; at < processes; at++) scene.programs.push(await scene.startProcess());
      let isOver = false;
      const sent = sendEvents(scene);
      const crashes = (async () => {
        let times = 0;
        for (; !isOver; times += 1) {
          // A new process must get to work before it is killed, however slow the machine is.
          const before = scene.count().reached;
          await until(() => isOver || scene.count().reached > before, 'progress', { everyMs: 20 });
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000));
          if (!isOver) await happen(scene);
        }
        return times;
      })();
      await sent;
      const report = async () => (await scene.call('GET', `/automations/${id}/report`)).body;
      try {
        await until(() => scene.count().reached >= 2 * PEOPLE, 'the emails', {
          timeoutMs: END_MS,
          everyMs: 200,
        });
      } finally {
        isOver = true;
      }
      const times = await crashes;
      await until(async () => (await report()).runs?.exited === PEOPLE, 'the end', { everyMs: 500 });
      const { reached, repeated, sameMessageIds } = scene.count();
      expect({ reached, sameMessageIds }).toEqual({ reached: 2 * PEOPLE, sameMessageIds: true });
      expect(repeated).toBeLessThanOrEqual(times * mayRepeat);
      const { runs, steps } = await report();
      expect(runs).toMatchObject({ started: PEOPLE, exited: PEOPLE, active: 0, failed: 0 });
      for (const step of steps) expect(step).toMatchObject({ entered: PEOPLE, done: PEOPLE });
      expect(await countHistories(scene.url)).toEqual([{ steps: STEPS, runs: PEOPLE }]);
      process.stdout.write(`${PEOPLE} runs, ${times} crashes, 0 lost, ${repeated} repeated on the wire\n`);
    } finally {
      await scene.close();
    }
  },
);

function email(key: string) {
  return {
    key,
    type: 'email',
    from: 'News <hello@news.test>',
    subject: `Step ${key}`,
    html: '<p>Only once, {{firstName}}.</p>',
  };
}

async function prepareAutomation({ call }: SendingScene): Promise<string> {
  const contactBookId = await addPeople(call, PEOPLE);
  const { body } = await call('POST', '/automations', {
    name: 'Crash',
    contactBookId,
    trigger: { event: 'go' },
    steps: [
      email('one'),
      { key: 'mark', type: 'update', properties: { marks: '{{marks}}x' } },
      { key: 'pause', type: 'delay', for: '2 seconds' },
      email('two'),
      { key: 'end', type: 'exit' },
    ],
  });
  const { status } = await call('POST', `/automations/${body.id}/activate`);
  expect(status).toBe(200);
  return body.id;
}

/** A call that fails because of a crash is repeated. Its IDs make that harmless. */
async function sendEvents({ call }: SendingScene): Promise<void> {
  for (let from = 0; from < PEOPLE; from += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, PEOPLE - from) }, (_, at) => ({
      name: 'go',
      id: `go ${from + at}`,
      email: addressOf(from + at),
    }));
    const send = async () => {
      const answer = await call('POST', '/events/batch', events).catch(() => null);
      return answer?.status === 200;
    };
    await until(send, 'the events', { everyMs: 200 });
  }
}

/** How many runs have which steps in their history, and whether each person was marked once. */
async function countHistories(url: string) {
  const { db, close } = openDatabase(url, { connections: 1, onError: () => {} });
  try {
    const { rows: marks } = await sql`
      select properties ->> 'marks' as marks, count(*)::integer as people from contacts group by 1
    `.execute(db);
    expect(marks).toEqual([{ marks: 'x', people: PEOPLE }]);
    const { rows } = await sql<{ steps: string[]; runs: number }>`
      select steps, count(*)::integer as runs
      from (select array_agg(step order by no) as steps from automation_run_steps group by team_id, run_id) run
      group by steps
    `.execute(db);
    return rows;
  } finally {
    await close();
  }
}
