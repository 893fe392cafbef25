/**
 * Measures how long others wait while twenty email apps send as many commands as they can: the responses of /healthz
 * and of the API, and the longest time for which the event loop of the server was blocked.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { forkProgram } from './forked.ts';
import type { AttackAnswer, AttackQuestion } from './imap-attack-program.ts';
import type { ImapWorld } from './imap-world.ts';

const CLIENTS = 20;
const ATTACK_MS = 12_000;
const PROBE_MS = 20;

/** The commands that each client repeats. */
const ATTACKS: Record<string, (world: ImapWorld) => string[]> = {
  nothing: () => [],
  'FETCH of everything': () => ['SELECT INBOX', 'FETCH 1:* (FLAGS BODY.PEEK[])'],
  'FETCH of parts': () => ['SELECT INBOX', 'FETCH 1:* (ENVELOPE BODYSTRUCTURE BODY.PEEK[1] BODY.PEEK[TEXT])'],
  'SEARCH TEXT': () => ['SELECT Many', 'SEARCH TEXT nowhere', 'SELECT INBOX', 'SEARCH BODY nowhere'],
  'SORT and THREAD': () => [
    'SELECT Many',
    'SORT (SUBJECT FROM) UTF-8 ALL',
    'THREAD REFERENCES UTF-8 ALL',
    'SORT (REVERSE DATE) UTF-8 ALL',
  ],
  'large sets': ({ many }) => {
    const odd = Array.from({ length: 9_000 }, (_, at) => 1 + 2 * ((at * 7) % Math.floor(many / 2))).join();
    return ['SELECT Many', `UID FETCH ${odd} (FLAGS)`, `UID SEARCH UID ${odd}`, 'UID SEARCH NOT UID 1:*'];
  },
};

export async function showAttacks(world: ImapWorld): Promise<void> {
  console.log('20 clients that ask for much: milliseconds, median, 99 % and longest');
  const attackers = forkProgram(new URL('imap-attack-program.ts', import.meta.url));
  for (const [name, commandsOf] of Object.entries(ATTACKS)) {
    const commands = commandsOf(world);
    const clients = commands.length > 0 ? CLIENTS : 0;
    const question: AttackQuestion = { account: world.ours, clients, commands, lastsMs: ATTACK_MS };
    await readBlockedMs(world);
    const [attack, health, api] = await Promise.all([
      attackers.ask<AttackAnswer>(question),
      probe(() => fetch(`http://127.0.0.1:${world.posthorn.port}/healthz`)),
      probe(() => world.posthorn.call('GET', '/mailboxes')),
    ]);
    const blockedMs = await readBlockedMs(world);
    console.log(
      `  ${name.padEnd(20)} /healthz ${figures(health)}  GET /mailboxes ${figures(api)}  event loop blocked ${blockedMs.toFixed(0)}  (${attack.commands} commands)`,
    );
    await untilQuiet(world);
  }
}

/** Waits for statements of the last attack that may still be running. */
async function untilQuiet({ posthorn }: ImapWorld): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where state = 'active' and backend_type = 'client backend' and pid <> pg_backend_pid()
    `.execute(posthorn.database.db);
    if (rows[0]!.count === 0) return;
    await sleep(PROBE_MS * 10);
  }
}

/** Sends one request after the other, with a pause. */
async function probe(request: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const endsAt = performance.now() + ATTACK_MS;
  while (performance.now() < endsAt) {
    const startedMs = performance.now();
    const answer = await request();
    if (answer instanceof Response) await answer.text();
    times.push(performance.now() - startedMs);
    await sleep(PROBE_MS);
  }
  return times.toSorted((a, b) => a - b);
}

function figures(times: number[]): string {
  return [0.5, 0.99, 1]
    .map((part) => times[Math.min(Math.floor(times.length * part), times.length - 1)]!.toFixed(0).padStart(5))
    .join('');
}

/** Returns the longest block since the last call. */
async function readBlockedMs({ posthorn }: ImapWorld): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${posthorn.port}/metrics`);
  const found = /^nodejs_eventloop_lag_max_seconds ([\d.e+-]+)/m.exec(await answer.text());
  return Number(found?.[1] ?? Number.NaN) * 1_000;
}
