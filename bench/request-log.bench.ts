/**
 * What the request log costs: CPU time of all processes for each POST of an email, with and without it. Requests of API
 * keys are logged and those of people are not, so both come to one server in turns. Reads, which are hardly ever logged,
 * show what signing in by key and by session differ, and that is taken out. Throughput would not show it, because the
 * log is written after the responses: the rounds of one side would pay for the other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSetupLink } from '../src/features/identity/people/setup.ts';
import { head, type Door } from './contact-loads.ts';
import { doorOf } from './contact-world.ts';
import { cpuMsOf } from './cpu-time.ts';
import { BODY } from './emails.bench.ts';
import { openLoad, type Load, type OpenLoad } from './load.ts';
import { median } from './measure.ts';
import { addDomain, findPostgres, startPosthorn, type Posthorn } from './posthorn.ts';
import { suite } from './suite.ts';

const CONNECTIONS = 32;
const ROUNDS = 7;
const WRITES_MS = 2_000;
const READS_MS = 1_000;
/** Entries wait half a second at most before they are written. */
const SETTLE_MS = 1_500;

interface World {
  roots: number[];
  key: Door;
  session: Door;
}

export const requestLogSuite = suite(openWorld, [
  {
    name: 'POST emails with the request log, CPU beside none',
    unit: 'µs',
    wanted: () => 0.97,
    measure: measureShare,
  },
]);

async function openWorld(): Promise<World> {
  const posthorn = await startPosthorn();
  const { teamId } = await addDomain(posthorn);
  return {
    roots: [posthorn.pid, await findPostgres(posthorn)],
    key: doorOf(posthorn),
    session: await signIn(posthorn, teamId),
  };
}

/** Creates the owner of the team, and returns the door for their session. */
async function signIn({ port, database }: Posthorn, teamId: number): Promise<Door> {
  const token = await createSetupLink(database.db, teamId);
  const person = { token, name: 'Ada', email: 'ada@bench.example', password: 'correct horse battery' };
  const origin = `http://127.0.0.1:${port}`;
  const answer = await fetch(`${origin}/api/v1/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify(person),
  });
  const cookie = /^(ph_session=[^;]*)/.exec(answer.headers.get('set-cookie') ?? '')?.[1];
  if (cookie === undefined) throw new Error(`Nobody is signed in: ${answer.status} ${await answer.text()}`);
  return { port, headers: `cookie: ${cookie}\r\norigin: ${origin}\r\n` };
}

type Sides = Record<'key' | 'session', OpenLoad>;

async function measureShare({ roots, key, session }: World) {
  const open = async (toLoad: (door: Door) => Load): Promise<Sides> => ({
    key: await openLoad(toLoad(key), CONNECTIONS),
    session: await openLoad(toLoad(session), CONNECTIONS),
  });
  const writes = await open((door) => sendLoad(door));
  const reads = await open((door) => readLoad(door));
  try {
    const rounds: { ours: number; limit: number }[] = [];
    // The first round warms both sides up.
    for (let round = 0; round <= ROUNDS; round++) {
      const [write, read] = [
        await costsOf(roots, writes, WRITES_MS, round),
        await costsOf(roots, reads, READS_MS, round),
      ];
      if (round > 0) rounds.push({ ours: write.key, limit: write.session + read.key - read.session });
    }
    const ratios = rounds.map(({ ours, limit }) => limit / ours).toSorted((a, b) => a - b);
    return {
      ours: median(rounds.map(({ ours }) => ours)),
      limit: median(rounds.map(({ limit }) => limit)),
      ratio: median(ratios),
      spread: [ratios[1]!, ratios.at(-2)!] as [number, number],
    };
  } finally {
    for (const load of [...Object.values(writes), ...Object.values(reads)]) load.close();
  }
}

/** CPU time of all processes for each request, in µs. The order alternates. */
async function costsOf(
  roots: number[],
  sides: Sides,
  forMs: number,
  round: number,
): Promise<Record<keyof Sides, number>> {
  const costs = { key: 0, session: 0 };
  const names = ['key', 'session'] as const;
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    const { latenciesMs, run } = sides[name];
    const [cpuBefore, answeredBefore] = [cpuMsOf(roots), latenciesMs.length];
    await run(forMs);
    await sleep(SETTLE_MS);
    costs[name] = ((cpuMsOf(roots) - cpuBefore) * 1000) / (latenciesMs.length - answeredBefore);
  }
  return costs;
}

function sendLoad(door: Door): Load {
  const request = head('POST', '/api/v1/emails', door, BODY.length) + BODY;
  return { port: door.port, nextRequest: () => request };
}

function readLoad(door: Door): Load {
  const request = head('GET', '/api/v1/domains', door, null);
  return { port: door.port, nextRequest: () => request };
}
