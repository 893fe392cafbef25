import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  email,
  openAutomationWorld,
  sentTo,
  world,
} from '../../testing/fixtures/automation-world.ts';

const RACES = Number(process.env.RACES ?? 30);
/** A page of runs has room for so many. */
const AT_ONCE = 50;
const ROUNDS = Math.ceil(RACES / AT_ONCE);

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

interface Run {
  id: string;
  email: string;
  status: string;
  reason: string | null;
  dueAt: string;
}

test(
  'a reply and a follow-up at the same moment: one of them wins, and the history says which',
  async () => {
    for (let round = 0; round < ROUNDS; round++) await race(Math.min(AT_ONCE, RACES - round * AT_ONCE));
  },
  ROUNDS * 180_000,
);

async function race(people: number): Promise<void> {
  const contactBookId = await addBook();
  const box = await world.freshMailbox();
  const fields = { from: undefined, mailboxId: box.id };
  const id = await activate({
    contactBookId,
    trigger: { event: 'ask' },
    steps: [email('one', fields), { key: 'pause', type: 'delay', for: '10 seconds' }, email('two', fields)],
    exitOn: ['replied'],
  });
  const addresses = await Promise.all(
    Array.from({ length: people }, async () => (await addContact(contactBookId)).address),
  );
  await call(
    'POST',
    '/events/batch',
    addresses.map((address) => ({ name: 'ask', email: address })),
  );
  const runsOf = async (): Promise<Run[]> =>
    (await call('GET', `/automations/${id}/runs?limit=${people}`)).items;
  const replies = addresses.map(async (address) => {
    const first = await vi.waitFor(
      async () => {
        const [message] = await sentTo(address);
        expect(message).toBeDefined();
        return message!;
      },
      { timeout: 30_000, interval: 200 },
    );
    const { dueAt } = (await runsOf()).find((run) => run.email === address)!;
    const lines = [
      `From: ${address}`,
      `To: ${box.address}`,
      'Subject: Re: About one',
      `In-Reply-To: ${first.messageId}`,
      `Message-ID: <reply-${address}>`,
      '',
      'Thanks!',
    ];
    // Some replies come a little earlier than the follow-up, and some a little later.
    const at = new Date(dueAt).getTime() + (Math.random() - 0.4) * 400;
    await new Promise((resolve) => setTimeout(resolve, at - Date.now()));
    expect((await world.write(box.address, lines.join('\r\n'), address)).data).toMatch(/^250/);
  });
  await Promise.all(replies);
  const runs = await vi.waitFor(
    async () => {
      const all = await runsOf();
      expect(all.filter(({ status }) => status === 'ACTIVE')).toEqual([]);
      return all;
    },
    { timeout: 60_000, interval: 200 },
  );
  expect(runs).toHaveLength(people);
  const outcomes = await Promise.all(
    runs.map(async (run) => {
      const { history } = await call('GET', `/automation-runs/${run.id}`);
      const keys = history.map(({ key }: { key: string }) => key);
      if (run.status === 'DONE')
        await vi.waitFor(async () => expect(await sentTo(run.email)).toHaveLength(2), { timeout: 30_000 });
      const emails = (await sentTo(run.email)).length;
      return [run.status, run.reason, emails, ...keys];
    }),
  );
  for (const outcome of outcomes)
    expect([
      ['DONE', null, 2, 'one', 'pause', 'two'],
      ['EXITED', 'replied', 1, 'one'],
      ['EXITED', 'replied', 1, 'one', 'pause'],
    ]).toContainEqual(outcome);
  const { runs: counted, exits } = await call('GET', `/automations/${id}/report`);
  const replied = outcomes.filter(([status]) => status === 'EXITED').length;
  expect(counted).toMatchObject({ started: people, active: 0, done: people - replied, exited: replied });
  expect(exits).toEqual(replied > 0 ? { replied } : {});
}
