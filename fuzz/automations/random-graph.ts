/** Random automations, and random changes of them. Some are not valid, and the server says so. */
import type { Random } from '../random.ts';

export type Step = Record<string, unknown> & { key: string; type: string };

export interface Graph {
  steps: Step[];
  /** The waits whose event comes, by their keys. The others end by their timeout. */
  assume: Record<string, 'received'>;
}

const FROM = 'Ada <ada@fuzz.test>';

/** Odd minutes, so that few moments coincide. A circle needs an hour. */
function someTime(random: Random, least = 1): string {
  return `${least + random.int(2_500)} minutes`;
}

function makeFilter(random: Random, emails: readonly string[]): object {
  const email = emails.length > 0 ? random.pick(emails) : null;
  const parts = [
    { field: 'properties.plan', op: 'equals', value: random.pick(['a', 'b']) },
    { field: 'properties.mark', op: 'exists' },
    { field: 'event.total', op: 'greater', value: random.int(100) },
    { field: 'firstName', op: 'contains', value: 'x' },
    ...(email === null ? [] : [{ field: `step.${email}`, op: random.pick(['opened', 'clicked']) }]),
  ];
  const chosen = [random.pick(parts), random.pick(parts)];
  return random.chance(0.5) ? { all: chosen } : { any: chosen };
}

function makeStep(random: Random, key: string, emails: string[]): Step {
  switch (random.int(9)) {
    case 0:
    case 1:
      return { key, type: 'delay', for: someTime(random) };
    case 2:
      return { key, type: 'wait', event: `heard.${key}`, timeout: someTime(random) };
    case 3:
      return { key, type: 'condition', where: makeFilter(random, emails) };
    case 4:
      return { key, type: 'split', shares: { a: 1 + random.int(9), b: 1 + random.int(9) } };
    case 5:
      return makeUpdate(random, key);
    case 6:
      return { key, type: 'goal', event: 'never' };
    default:
      emails.push(key);
      return makeEmail(key);
  }
}

function makeEmail(key: string): Step {
  const subject = `${key} {{firstName}} {{mark,fallback=none}} {{event.total}}`;
  return { key, type: 'email', from: FROM, subject, html: '<p>Hello</p>' };
}

function makeUpdate(random: Random, key: string): Step {
  const changes = [
    { properties: { plan: random.pick(['a', 'b']) } },
    { properties: { mark: '{{mark}}x' } },
    { firstName: '{{firstName}}x' },
  ];
  return { key, type: 'update', ...(random.chance(0.05) ? { subscribed: false } : random.pick(changes)) };
}

const WAYS: Record<string, readonly string[]> = {
  wait: ['received', 'timeout'],
  condition: ['yes', 'no'],
  split: ['a', 'b'],
};

/** Most ways lead to the step below or further down, a few lead back or end. */
function chooseNext(random: Random, keys: readonly string[], at: number): string | null | undefined {
  const chance = random.next();
  if (chance < 0.5) return undefined;
  if (chance < 0.6) return null;
  if (chance < 0.65) return random.pick(keys);
  return keys[at + 1 + random.int(keys.length - at)] ?? null;
}

function connect(random: Random, steps: readonly Step[]): Step[] {
  const keys = steps.map(({ key }) => key);
  return steps.map((step, at) => {
    if (step.type === 'exit') return step;
    const names = WAYS[step.type];
    const next = names
      ? Object.fromEntries(names.map((name) => [name, chooseNext(random, keys, at)]))
      : chooseNext(random, keys, at);
    return next === undefined ? step : { ...step, next };
  });
}

export function makeGraph(random: Random): Graph {
  const emails: string[] = [];
  const steps = Array.from({ length: 2 + random.int(8) }, (_, at) => makeStep(random, `s${at}`, emails));
  if (random.chance(0.3)) steps.push({ key: 'end', type: 'exit', reason: 'over' });
  const waits = steps.filter(({ type }) => type === 'wait' && random.chance(0.5));
  return {
    steps: connect(random, steps),
    assume: Object.fromEntries(waits.map(({ key }) => [key, 'received' as const])),
  };
}

/** Removes steps, changes their times, adds some, or connects them anew. */
export function editGraph(random: Random, steps: readonly Step[]): Step[] {
  const kept = steps.filter(() => random.chance(0.8));
  const changed = kept.map((step) => {
    if (random.chance(0.6)) return step;
    if (step.type === 'delay') return { ...step, for: someTime(random) };
    return step.type === 'wait' ? { ...step, timeout: someTime(random) } : step;
  });
  const emails = changed.flatMap(({ key, type }) => (type === 'email' ? [key] : []));
  for (let count = random.int(4); count > 0; count -= 1) {
    const step = makeStep(random, `new${count}`, emails);
    changed.splice(random.int(changed.length + 1), 0, step);
  }
  if (random.chance(0.3)) return connect(random, changed);
  // Ways to steps that were removed lead on to the next step.
  const keys = new Set(changed.map(({ key }) => key));
  return changed.map((step) => (isConnected(step, keys) ? step : { ...step, next: undefined }));
}

function isConnected({ next }: Step, keys: ReadonlySet<string>): boolean {
  const named = typeof next === 'object' && next !== null ? Object.values(next) : [next];
  return named.every((key) => typeof key !== 'string' || keys.has(key));
}

/** Whether the contact, and not only the time, decides about the way of a run. */
export function dependsOnContact(steps: readonly Step[]): boolean {
  return steps.some(
    ({ type, subscribed }) => type === 'condition' || type === 'split' || subscribed === false,
  );
}
