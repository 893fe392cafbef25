/** Delivery of a full queue by the worker, compared with a program that only signs and sends. */
import { sql } from 'kysely';
import { readFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { newUuid } from '../src/platform/ids.ts';
import { forkProgram, type Forked } from './forked.ts';
import { median, type Measured } from './measure.ts';
import type { LimitOrder } from './engine.limit.ts';
import { addDomain, startPosthorn, startWorker, type Posthorn } from './posthorn.ts';
import type { SinkAnswer } from './sink-program.ts';
import { suite, type Row } from './suite.ts';

export interface EngineWorld {
  posthorn: Posthorn;
  teamId: number;
  domainId: number;
  sink: Forked;
  sinkPort: number;
  limit: Forked;
}

const MESSAGE_BYTES = 10_000;
const CONNECTIONS = 20;
const ROUNDS = 5;
const WARM_UP = 200;
export const MOST_MEMORY_MB = 250;
const QUEUED_FOR_MEMORY = 200_000;
const INSERT_AT_ONCE = 5_000;

export const engineSuite = suite(
  () => openEngineWorld(),
  [
    engineRow('sending, signed, 10 kB', { messages: 20_000, signed: true, wanted: () => 0.8 }),
    engineRow('sending, unsigned, 10 kB', {
      messages: 20_000,
      signed: false,
      wanted: (limit) => Math.min(0.5, 2_500 / limit),
    }),
    {
      name: 'sending, memory while 200,000 messages drain',
      unit: 'MB',
      wanted: () => 1,
      async measure(world) {
        const worker = startWorker(world.posthorn, engineSettings(world, false));
        const drained = world.sink.ask<SinkAnswer>({ expect: QUEUED_FOR_MEMORY, warmUp: WARM_UP });
        await fillQueue(world, QUEUED_FOR_MEMORY);
        await drained;
        const measured = atMost(MOST_MEMORY_MB, peakMemoryMb(worker.pid));
        await worker.stop();
        return measured;
      },
    },
  ],
);

function engineRow(
  name: string,
  plan: { messages: number; signed: boolean; wanted: (limit: number) => number },
): Row<EngineWorld> {
  return {
    name,
    unit: 'messages/s',
    wanted: plan.wanted,
    async measure(world) {
      const perRound = plan.messages / ROUNDS;
      const worker = startWorker(world.posthorn, engineSettings(world, plan.signed));
      const rounds: { ours: number; limit: number }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const ours = await sendOurs(world, perRound);
        const limit = await sendLimit(world, perRound, plan.signed);
        rounds.push({ ours, limit });
      }
      await worker.stop();
      const ratios = rounds.map((round) => round.ours / round.limit).toSorted((a, b) => a - b);
      return {
        ours: median(rounds.map((round) => round.ours)),
        limit: median(rounds.map((round) => round.limit)),
        ratio: median(ratios),
        spread: [ratios[1]!, ratios.at(-2)!],
      };
    },
  };
}

export async function openEngineWorld(
  env: Record<string, string> = {},
  databaseSettings: Record<string, string> = {},
): Promise<EngineWorld> {
  const posthorn = await startPosthorn(env, 'http', databaseSettings);
  const domain = await addDomain(posthorn);
  const sink = forkProgram(new URL('./sink-program.ts', import.meta.url));
  const { port } = await sink.ask<SinkAnswer>({ expect: 0, warmUp: 0 });
  const limit = forkProgram(new URL('./engine.limit.ts', import.meta.url));
  return { posthorn, teamId: domain.teamId, domainId: domain.id, sink, sinkPort: port, limit };
}

export function engineSettings({ sinkPort }: EngineWorld, signed: boolean): Record<string, string> {
  return {
    MAIL_TRANSPORT: 'relay',
    RELAY_URL: `smtp://127.0.0.1:${sinkPort}`,
    DKIM_SIGN: String(signed),
  };
}

/** All messages are queued before the first is sent, so that only delivery is measured. */
export async function sendOurs(world: EngineWorld, messages: number): Promise<number> {
  await fillQueue(world, messages, { isHeld: true });
  const done = world.sink.ask<SinkAnswer>({ expect: messages, warmUp: WARM_UP });
  await sql`update deliveries set due_at = now(), attempts = 0, first_tried_at = null`.execute(
    world.posthorn.database.db,
  );
  await sql`select pg_notify('deliveries_due', '')`.execute(world.posthorn.database.db);
  return (await done).perSecond;
}

export async function sendLimit(
  { sink, sinkPort, limit }: EngineWorld,
  messages: number,
  signed: boolean,
): Promise<number> {
  const order: LimitOrder = {
    port: sinkPort,
    messages,
    message: MESSAGE,
    privateKey: signed ? KEY : null,
    connections: CONNECTIONS,
  };
  const done = sink.ask<SinkAnswer>({ expect: messages, warmUp: WARM_UP });
  await limit.ask(order);
  return (await done).perSecond;
}

/** Held messages look as if their last attempt was a moment ago, so the worker does not touch them for an hour. */
async function fillQueue(world: EngineWorld, messages: number, { isHeld = false } = {}): Promise<void> {
  const waitHours = isHeld ? 1 : 0;
  const { teamId, domainId, posthorn } = world;
  for (let left = messages; left > 0; left -= INSERT_AT_ONCE) {
    const ids = Array.from({ length: Math.min(left, INSERT_AT_ONCE) }, newUuid);
    await sql`
      with id as (select * from unnest(${ids}::uuid[]) as i (id)),
      email as (
        insert into emails (team_id, id, domain_id, source, status, sender, to_addresses, cc_addresses, bcc_addresses,
          reply_to, subject, message_id)
        select ${teamId}, id, ${domainId}, 'api', 'QUEUED', 'a@bench.test', array['someone@example.org'], '{}', '{}',
          '{}', 'Bench', '<' || id || '@bench.test>' from id
      ), content as (
        insert into email_contents (team_id, email_id, raw, is_text)
        select ${teamId}, id, ${Buffer.from(MESSAGE)}, true from id
      ), recipient as (
        insert into email_recipients (team_id, email_id, no, address, address_key, status)
        select ${teamId}, id, 0, 'someone@example.org', 'someone@example.org', 'QUEUED' from id
      )
      insert into deliveries (team_id, email_id, recipient_no, domain_id, recipient, recipient_domain, priority, due_at,
        attempts, first_tried_at)
      select ${teamId}, id, 0, ${domainId}, 'someone@example.org', 'example.org', 0,
        now() + make_interval(hours => ${waitHours}), ${isHeld ? 1 : 0}::smallint,
        ${isHeld ? sql`now()` : sql`null`} from id
    `.execute(posthorn.database.db);
  }
}

/** Measures a value that must not exceed a limit. The ratio is inverted, so that more is better as everywhere. */
export function atMost(most: number, ours: number): Measured {
  const ratio = most / ours;
  return { ours, limit: most, ratio, spread: [ratio, ratio] };
}

/** Returns the peak resident memory, as the kernel reports it. */
export function peakMemoryMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error('The peak memory cannot be read on this system.');
  return Number(kilobytes) / 1024;
}

const HEADER = [
  'From: A <a@bench.test>',
  'To: someone@example.org',
  'Subject: Bench',
  'Date: Sun, 15 Nov 2026 09:30:00 +0000',
  'Message-ID: <bench@bench.test>',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  '',
  '',
].join('\r\n');
const LINE = `${'The quick brown fox jumps over the lazy dog, again. '.repeat(1).trim()}\r\n`;
const MESSAGE = HEADER + LINE.repeat(Math.ceil((MESSAGE_BYTES - HEADER.length) / LINE.length));
const KEY = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}).privateKey;
