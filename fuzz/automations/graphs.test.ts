/**
 * Random automations: what the simulation says is what the run does, and what publishing is said to change is what it
 * changes. FUZZ_GRAPHS is the number of automations of each test, and FUZZ_SEED makes others.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeId } from '../../src/platform/ids.ts';
import { DAY_MS, MINUTE_MS } from '../../src/platform/durations.ts';
import { createRandom, type Random } from '../random.ts';
import { dependsOnContact, editGraph, makeGraph, type Graph, type Step } from './random-graph.ts';
import { openVirtualWorld, type VirtualWorld, type WaitingRun } from './virtual-time.ts';

const GRAPHS = Number(process.env.FUZZ_GRAPHS ?? 40);
const SEED = process.env.FUZZ_SEED ?? 'automations';
const AT_ONCE = 25;
/** A circle is followed for so many steps. */
const FOLLOWED = 40;
const MOST_TRIES = 50;
const PEOPLE_OF_EDIT = 4;
/** The impact knows minutes. */
const TOLERANCE_MS = 2 * MINUTE_MS;

let world: VirtualWorld;
let contactBookId: string;
let people = 0;

beforeAll(async () => {
  world = await openVirtualWorld();
  contactBookId = (await world.call('POST', '/contactBooks', { name: 'People' })).id;
  await world.settle();
});
afterAll(() => world.close());

interface Made extends Graph {
  id: string;
  /** The UUID. */
  key: string;
  name: string;
}

/** A graph that does not fit together is refused with its place, and another one is made. */
async function makeAutomation(random: Random, name: string): Promise<Made> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const graph = makeGraph(random);
    const input = { name, contactBookId, trigger: { event: name }, steps: graph.steps };
    const { status, body } = await world.team.call('POST', '/automations', input);
    if (status === 200) {
      await world.call('POST', `/automations/${body.id}/activate`);
      return { ...graph, id: body.id, key: decodeId('aut', body.id)!, name };
    }
    expectRefused({ status, body }, graph.steps);
  }
  throw new Error('No graph fits together.');
}

// oxlint-disable-next-line typescript/no-explicit-any
function expectRefused({ status, body }: { status: number; body: any }, steps: readonly Step[]): void {
  expect(status, JSON.stringify({ body, steps })).toBe(400);
  expect(body.error.issues[0].path, JSON.stringify({ body, steps })).toMatch(/^\/steps\/\d+/);
}

async function addPerson(random: Random): Promise<string> {
  const properties = { plan: random.pick(['a', 'b']) };
  const email = `p${(people += 1)}@people.example`;
  const input = { email, firstName: random.pick(['Ada', 'Bob', 'Max']), properties };
  return (await world.call('POST', `/contactBooks/${contactBookId}/contacts`, input)).contactId;
}

async function forEachBatch(title: string, work: (random: Random, names: string[]) => Promise<void>) {
  for (let first = 0; first < GRAPHS; first += AT_ONCE) {
    const random = createRandom(`${SEED} ${title} ${first}`);
    const count = Math.min(AT_ONCE, GRAPHS - first);
    await work(
      random,
      Array.from({ length: count }, (_, at) => `${title}${first + at}`),
    );
  }
}

function expectNothingHeld(runs: readonly WaitingRun[]): void {
  expect(runs.filter(({ heldBy }) => heldBy !== null)).toEqual([]);
}

interface Walked extends Made {
  contactId: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  simulated: any;
}

test('a run does what its simulation said', async () => {
  await forEachBatch('walk', async (random, names) => {
    const made: Walked[] = [];
    for (const name of names) {
      const automation = await makeAutomation(random, name);
      const contactId = await addPerson(random);
      const event = { total: random.int(100) };
      const simulated = await world.call('POST', `/automations/${automation.id}/simulate`, {
        contactId,
        event,
        assume: automation.assume,
      });
      await world.call('POST', '/events', { name, contactId, data: event });
      made.push({ ...automation, contactId, simulated });
    }
    await followAll(made);
    for (const automation of made) await expectAsSimulated(automation);
    for (const { id } of made) await world.call('DELETE', `/automations/${id}`);
  });
}, 0);

/** Lets all runs go to their ends. The events that were assumed come as soon as a run waits for them. */
async function followAll(made: readonly Walked[]): Promise<void> {
  const byKey = new Map(made.map((automation) => [automation.key, automation]));
  for (let turn = 0; turn < FOLLOWED; turn += 1) {
    await world.settle();
    const runs = await world.waiting([...byKey.keys()]);
    if (runs.length === 0) return;
    expectNothingHeld(runs);
    const isAssumed = ({ automationId, step }: WaitingRun) =>
      byKey.get(automationId)!.assume[step] !== undefined;
    for (const run of runs.filter(isAssumed)) {
      const { contactId } = byKey.get(run.automationId)!;
      await world.call('POST', '/events', { name: `heard.${run.step}`, contactId });
    }
    await world.pass(runs.filter((run) => !isAssumed(run)).map(({ id, waitMs }) => ({ id, ms: waitMs })));
  }
}

function show({ key, type, result }: { key: string; type: string; result: string }): string {
  return `${key} ${type} ${result}`;
}

async function expectAsSimulated({ id, steps, simulated }: Walked): Promise<void> {
  const { items } = await world.call('GET', `/automations/${id}/runs`);
  expect(items).toHaveLength(1);
  const run = await world.call('GET', `/automation-runs/${items[0].id}`);
  const name = JSON.stringify({ steps, simulated, run });
  const done = run.history.map(show);
  // A circle ends the simulation after some steps, and the run is not followed for ever.
  const isWhole = run.status !== 'ACTIVE' && simulated.end !== 'too_long';
  const said = simulated.path.map(show);
  const shared = isWhole ? Infinity : Math.min(done.length, said.length);
  expect(done.slice(0, shared), name).toEqual(said.slice(0, shared));
  if (isWhole) expect(run.status === 'DONE' ? 'done' : `exited: ${run.reason}`, name).toBe(simulated.end);
  for (const [at, { emailId }] of run.history.entries()) {
    if (!emailId || at >= said.length) continue;
    const { subject } = await world.call('GET', `/emails/${emailId}`);
    expect(subject, name).toBe(simulated.path[at].email.subject);
  }
}

test('publishing moves whom its impact said, and as many emails leave in a day', async () => {
  await forEachBatch('edit', async (random, names) => {
    for (const name of names) {
      const automation = await makeAutomation(random, name);
      for (let count = 0; count < PEOPLE_OF_EDIT; count += 1)
        await world.call('POST', '/events', { name, contactId: await addPerson(random) });
      await spreadOut(random, automation.key);
      const steps = await edit(random, automation);
      if (steps) await expectImpact(automation, steps);
      await world.call('DELETE', `/automations/${automation.id}`);
    }
  });
}, 0);

/** The runs stop at different steps, each in the middle of a wait. */
async function spreadOut(random: Random, key: string): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    await world.settle();
    const runs = await world.waiting([key]);
    expectNothingHeld(runs);
    const far = turn === 3 ? () => random.next() * 0.9 : () => 1;
    const moved = runs.filter(() => turn === 3 || random.chance(0.5));
    await world.pass(moved.map(({ id, waitMs }) => ({ id, ms: waitMs * far() })));
  }
}

/** Returns the steps of the draft. */
async function edit(random: Random, { id, steps }: Made): Promise<Step[] | null> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const changed = editGraph(random, steps);
    if (changed.length === 0) continue;
    const { status, body } = await world.team.call('PATCH', `/automations/${id}`, { steps: changed });
    if (status !== 200) expectRefused({ status, body }, changed);
    const { errors } = await world.call('GET', `/automations/${id}/check`);
    if (status === 200 && errors.length === 0) return changed;
  }
  return null;
}

async function expectImpact({ id, key, steps: before }: Made, steps: Step[]): Promise<void> {
  const impact = await world.call('GET', `/automations/${id}/publish-impact`);
  const runs = await world.waiting([key]);
  const { rows: sent } = await sql<{ count: number }>`
    select count(*)::integer as count from automation_emails where automation_id = ${key}`.execute(
    world.server.db,
  );
  const emailsBefore = sent[0]!.count;
  await world.call('POST', `/automations/${id}/publish`, { runs: 'move' });

  const name = JSON.stringify({ before, steps, impact, runs });
  const moved = new Map((await world.waiting([key])).map((run) => [run.id, run.step]));
  const counts = new Map<string, number>();
  for (const run of runs) {
    const way = JSON.stringify([run.step, moved.get(run.id) ?? null]);
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  const foretold = impact.byStep.map((each: { key: string; to: string | null; waiting: number }) => [
    JSON.stringify([each.key, each.to]),
    each.waiting,
  ]);
  expect(new Map(foretold), name).toEqual(counts);
  expect(impact.people, name).toBe(runs.length);

  const [least, most] = await countEmailsOfDay(key, emailsBefore);
  expect(impact.emailsNext24Hours, name).toBeGreaterThanOrEqual(least);
  if (!dependsOnContact(steps)) expect(impact.emailsNext24Hours, name).toBeLessThanOrEqual(most);
}

/** Returns how many emails left surely within a day, and how many perhaps. */
async function countEmailsOfDay(key: string, before: number): Promise<[number, number]> {
  const passed = new Map<string, number>();
  const counts: number[] = [];
  for (const end of [DAY_MS - TOLERANCE_MS, DAY_MS + TOLERANCE_MS]) {
    for (;;) {
      await world.settle();
      const times = (await world.waiting([key]))
        .map(({ id, waitMs }) => ({ id, ms: Math.max(0, waitMs) }))
        .filter(({ id, ms }) => (passed.get(id) ?? 0) + ms <= end);
      if (times.length === 0) break;
      for (const { id, ms } of times) passed.set(id, (passed.get(id) ?? 0) + ms);
      await world.pass(times);
    }
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from automation_emails where automation_id = ${key}`.execute(
      world.server.db,
    );
    counts.push(rows[0]!.count - before);
  }
  return [counts[0]!, counts[1]!];
}
