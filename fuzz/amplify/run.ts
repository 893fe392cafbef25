/** Sends amplifying requests one after another, and measures what each of them takes and stores. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Findings } from '../findings.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { MAX_MEMORY_BYTES, MAX_STORED_FACTOR, ROWS_BYTES, SLACK_BYTES, toMb } from '../doors/measured.ts';
import { isFailure } from '../http/check-answer.ts';
import { toIdNumber } from '../../src/platform/id-numbers.ts';
import { amplifyingTrials, NEARLY, type AmplifyingTrial, type TrialTemplates } from './trials.ts';

export interface AmplifyPlan {
  /** Every n-th trial is made. */
  every: number;
  endsAtMs: number;
}

const ANSWER_LIMIT_MS = 30_000;
const SENT_LIMIT_MS = 60_000;

export async function fuzzAmplifying(
  target: Target,
  world: World,
  findings: Findings,
  { every, endsAtMs }: AmplifyPlan,
  say: (line: string) => void,
): Promise<{ trials: number; planned: number }> {
  const planned = amplifyingTrials(world, await makeTemplates(world)).filter((_, at) => at % every === 0);
  let trials = 0;
  for (const trial of planned) {
    if (Date.now() > endsAtMs) break;
    const line = await tryOne(target, world, findings, trial);
    if (line !== null) say(line);
    trials += 1;
  }
  return { trials, planned: planned.length };
}

async function makeTemplates(world: World): Promise<TrialTemplates> {
  const make = async (html: string) =>
    String((await world.call('POST', '/templates', { name: 'Amplify', subject: 'x', html })).id);
  const tags = await make('{{v}} '.repeat(1_000));
  return {
    tags,
    long: await make(`{{v}}${'Hello there. '.repeat(30_000)}`),
    loops: await make(
      `x{% for i in list %}{% for j in list limit: 9 %}${NEARLY.repeat(400)}{% endfor %}{% endfor %}`,
    ),
    tagsNumber: toIdNumber('tpl', tags),
  };
}

async function tryOne(
  target: Target,
  world: World,
  findings: Findings,
  { name, path, headers, body, recipients }: AmplifyingTrial,
): Promise<string | null> {
  const bytes = Buffer.byteLength(body);
  const url = `${target.url}${path}`;
  const exchange = { name, group: name, http: { method: 'POST', url, headers, body: Buffer.from(body) } };
  const before = { stored: target.storedBytes(), memory: target.startPeak() };
  const answer = await target.observe(exchange, ANSWER_LIMIT_MS, async () => {
    const response = await fetch(url, { method: 'POST', headers, body });
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, text: await response.text() };
  });
  if (!answer) return null;
  if (isFailure(answer.status, answer.retryAfter))
    findings.add(`the response was ${answer.status}`, answer.text.slice(0, 300), [exchange]);
  await untilSent(world);
  const stored = target.storedBytes() - before.stored;
  const memory = target.peakBytes() - before.memory;
  if (memory > MAX_MEMORY_BYTES) findings.add('a request took over 256 MB', `${toMb(memory)} MB`, [exchange]);
  if (stored > MAX_STORED_FACTOR * bytes + ROWS_BYTES * recipients + SLACK_BYTES)
    findings.add('a request stored over 10 times its bytes', `${toMb(stored)} MB of ${toMb(bytes)} MB`, [
      exchange,
    ]);
  return `${name}: ${answer.status}, ${toMb(bytes)} MB in, ${toMb(stored)} MB stored, ${toMb(memory)} MB of memory.`;
}

/** The sandbox stores what is sent, and events follow. */
async function untilSent(world: World): Promise<void> {
  const endsAtMs = Date.now() + SENT_LIMIT_MS;
  while (Date.now() < endsAtMs) {
    const { items } = await world.call('GET', '/emails?status=QUEUED&limit=1');
    if (items.length === 0) return;
    await sleep(200);
  }
}
