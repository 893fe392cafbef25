/** Both SMTP ports: each dialogue alone, then several of them at once. After each of them the port must still greet. */
import type { Exchange } from '../findings.ts';
import { createRandom, shuffle } from '../random.ts';
import type { Target } from '../target.ts';
import { openClient, portOf, type Client, type Door } from './client.ts';
import { DIALOGUES, type Dialogue } from './dialogues.ts';

export interface SmtpPlan {
  seed: string;
  /** Whether each dialogue is first held alone; then several of them are held at once. */
  alone: boolean;
  /** 1 for a full run; smaller for fewer connections and shorter messages. */
  size: number;
  endsAtMs: number;
}

const DOORS: Door[] = ['inbound', 'submission'];
/** A dialogue has many connections: it is the greeting of the next client that is timed. */
const DIALOGUE_LIMIT_MS = 120_000;
const GREETING_LIMIT_MS = 2_000;
const AT_ONCE = 4;

export async function fuzzSmtp(
  target: Target,
  address: string,
  plan: SmtpPlan,
): Promise<{ dialogues: number }> {
  let dialogues = 0;

  async function run(door: Door, dialogue: Dialogue, round: number): Promise<void> {
    if (Date.now() > plan.endsAtMs) return;
    dialogues += 1;
    const port = portOf(target, door);
    const name = `${door}: ${dialogue.name}`;
    const exchange: Exchange = { name, group: name, smtp: { port, bytes: Buffer.alloc(0) } };
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

  // In the order of the seed: where the time ends early, other runs reach the rest.
  const order = shuffle(DIALOGUES, createRandom(`${plan.seed} alone`));
  if (plan.alone) for (const dialogue of order) for (const door of DOORS) await run(door, dialogue, 0);
  const mixed = shuffle(
    DIALOGUES.flatMap((dialogue) => DOORS.map((door) => ({ door, dialogue }))),
    createRandom(`${plan.seed} smtp`),
  ).values();
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (const { door, dialogue } of mixed) await run(door, dialogue, 1);
  });
  await Promise.all(workers);
  return { dialogues };
}

async function greet(port: number): Promise<void> {
  const client = await openClient(port);
  const code = await client.hear();
  client.socket.destroy();
  if (code !== '220' && code !== '421') throw new Error(`The greeting was ${code}.`);
}
