/** Sends invalid bytes to the HTTP port. Each trial has a connection of its own, and some run concurrently. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, Findings } from '../findings.ts';
import { createRandom, shuffle } from '../random.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { TRIALS, type Trial } from './trials.ts';

export interface RawPlan {
  seed: string;
  /** How many times all trials run. */
  rounds: number;
  endsAtMs: number;
}

const AT_ONCE = 8;
const ANSWER_LIMIT_MS = 2_000;
const GIVE_UP_MS = 30_000;
/** How long a client reads after a response. A connection that stays open for the next request is fine. */
const QUIET_MS = 100;

export async function fuzzRaw(
  target: Target,
  world: World,
  findings: Findings,
  plan: RawPlan,
): Promise<{ trials: number; planned: number }> {
  const port = Number(new URL(target.url).port);
  let trials = 0;

  async function run(trial: Trial, round: number): Promise<void> {
    trials += 1;
    const random = createRandom(`${plan.seed} ${trial.name} ${round}`);
    const writes = trial.writes(random, world).map((bytes) => Buffer.from(bytes));
    const exchange: Exchange = {
      name: `HTTP port: ${trial.name}`,
      group: trial.name,
      wire: { port, bytes: Buffer.concat(writes) },
    };
    const answer = await target.observe(exchange, ANSWER_LIMIT_MS, () => converse(port, writes, trial));
    if (answer === null || trial.expects === 'cut') return;
    for (const fault of judge(answer, trial)) findings.add(fault, answer.slice(0, 300), [exchange]);
  }

  for (let round = 0; round < plan.rounds; round += 1) {
    const waiting = shuffle(TRIALS, createRandom(`${plan.seed} raw ${round}`)).values();
    const workers = Array.from({ length: AT_ONCE }, async () => {
      for (const trial of waiting) {
        if (Date.now() > plan.endsAtMs) return;
        await run(trial, round);
      }
    });
    await Promise.all(workers);
  }
  return { trials, planned: plan.rounds * TRIALS.length };
}

/** Returns the bytes that the server wrote. */
async function converse(port: number, writes: Buffer[], { expects, pauseMs = 0 }: Trial): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
  socket.on('error', () => {});
  try {
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    for (const bytes of writes) {
      if (socket.destroyed) break;
      socket.write(bytes);
      if (pauseMs > 0) await sleep(pauseMs);
    }
    if (expects !== 'cut') await waitForAnswer(socket, () => heard !== '');
    return heard;
  } finally {
    if (expects === 'cut') socket.resetAndDestroy();
    else socket.destroy();
  }
}

async function waitForAnswer(socket: Socket, hasAnswer: () => boolean): Promise<void> {
  while (!socket.destroyed) {
    const timer = new AbortController();
    const happened = await Promise.race([
      once(socket, 'data', { signal: timer.signal }).then(() => 'data'),
      once(socket, 'close', { signal: timer.signal }).then(() => 'close'),
      sleep(hasAnswer() ? QUIET_MS : GIVE_UP_MS, 'quiet', { signal: timer.signal }),
    ]).catch(() => 'close');
    timer.abort();
    if (happened === 'close' || (happened === 'quiet' && hasAnswer())) return;
    if (happened === 'quiet') throw new Error(`Neither a response nor an end within ${GIVE_UP_MS} ms.`);
  }
}

const STATUS_LINE = /HTTP\/1\.1 (\d{3})/g;
const LARGEST_REFUSAL = 20_000;

function judge(heard: string, { expects }: Trial): string[] {
  const statuses = [...heard.matchAll(STATUS_LINE)].map(([, status]) => Number(status));
  if (heard !== '' && !heard.startsWith('HTTP/1.1 ')) return ['an answer that is not HTTP'];
  if (statuses.some((status) => status >= 500)) return ['a 5xx'];
  if (expects === 'answered') return [];
  if (statuses.some((status) => status < 400)) return ['a malformed request was not refused'];
  if (statuses.length > 0 && !heard.includes('"error"')) return ['a refusal without words'];
  return heard.length > LARGEST_REFUSAL ? [`a refusal of over ${LARGEST_REFUSAL} bytes`] : [];
}
