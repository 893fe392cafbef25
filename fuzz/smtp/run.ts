/**
 * Runs each dialogue on both SMTP ports alone, then several concurrently. After each, the port must still send a
 * greeting.
 */
import type { Exchange } from '../findings.ts';
import { createRandom, shuffle } from '../random.ts';
import type { Target } from '../target.ts';
import { openClient, portOf, type Client, type Door } from './client.ts';
import { DIALOGUES, type Dialogue } from './dialogues.ts';

export interface SmtpPlan {
  seed: string;
  /** Whether each dialogue first runs alone, before several run concurrently. */
  alone: boolean;
  /** 1 for a full run; smaller for fewer connections and shorter messages. */
  size: number;
  endsAtMs: number;
}

const DOORS: Door[] = ['inbound', 'submission'];
const EVERY_DIALOGUE = DIALOGUES.flatMap((dialogue) => DOORS.map((door) => ({ door, dialogue })));
/** A dialogue has many connections, so the greeting of the next client is timed instead. */
const DIALOGUE_LIMIT_MS = 120_000;
const GREETING_LIMIT_MS = 2_000;
const AT_ONCE = 8;

export async function fuzzSmtp(
  target: Target,
  address: string,
  plan: SmtpPlan,
): Promise<{ dialogues: number; planned: number }> {
  let dialogues = 0;

  async function run(door: Door, dialogue: Dialogue, round: number): Promise<void> {
    dialogues += 1;
    const port = portOf(target, door);
    const name = `${door}: ${dialogue.name}`;
    const exchange: Exchange = { name, group: name, wire: { port, bytes: Buffer.alloc(0) } };
    const clients: Client[] = [];
    const random = createRandom(`${plan.seed} ${name} ${round}`);
    const open = async () => {
      const client = await openClient(port, exchange);
      clients.push(client);
      return client;
    };
    const scene = { random, size: plan.size, address, key: target.key, open };
    await target.observe(exchange, DIALOGUE_LIMIT_MS, () => dialogue.run(scene));
    for (const client of clients) client.socket.destroy();
    await target.observe({ ...exchange, name: `${name}, then a greeting` }, GREETING_LIMIT_MS, () =>
      greet(port),
    );
  }

  async function runAll(atOnce: number, round: number, endsAtMs: number): Promise<void> {
    // The order depends on the seed, so that other runs cover the rest if the time ends early.
    const waiting = shuffle(EVERY_DIALOGUE, createRandom(`${plan.seed} smtp ${round}`)).values();
    const workers = Array.from({ length: atOnce }, async () => {
      for (const { door, dialogue } of waiting) {
        if (Date.now() > endsAtMs) return;
        await run(door, dialogue, round);
      }
    });
    await Promise.all(workers);
  }

  if (plan.alone) await runAll(1, 0, (Date.now() + plan.endsAtMs) / 2);
  await runAll(AT_ONCE, 1, plan.endsAtMs);
  return { dialogues, planned: EVERY_DIALOGUE.length * (plan.alone ? 2 : 1) };
}

async function greet(port: number): Promise<void> {
  const client = await openClient(port);
  const code = await client.hear();
  client.socket.destroy();
  if (code !== '220' && code !== '421') throw new Error(`The greeting was ${code}.`);
}
