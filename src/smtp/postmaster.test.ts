/** Mail to postmaster (RFC 5321 section 4.5.1), abuse and fbl is accepted without a mailbox. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, writeTo, type MailWorld } from '../testing/mail-world.ts';
import { readMetrics } from '../testing/read-metrics.ts';
import { complaint, sendReport } from '../testing/clients/reports.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import { createCall } from '../testing/test-server.ts';

let world: MailWorld;

/** The first team owns the server. */
const KEY = 'k'.repeat(40);

beforeAll(async () => {
  world = await startMailWorld({ env: { MAIL_HOST: 'mx.posthorn.example', BOOTSTRAP_API_KEY: KEY } });
});
afterAll(() => world.close());

const write = (to: string, subject: string) => writeTo(world.server.smtpPort, to, rawMail({ subject }));

test('mail to the postmaster of a domain goes to its postmaster mailbox, or else to another one of the team', async () => {
  const ada = await world.createMailbox('ada');
  expect((await write('PostMaster@Harbour.test', 'To Ada')).data).toMatch(/^250/);
  await expect.poll(async () => (await world.threads(ada.id)).length).toBe(1);
  expect((await write('postmaster@bounce.harbour.test', 'To Ada too')).data).toMatch(/^250/);
  const own = await world.createMailbox('postmaster');
  await expect
    .poll(async () => {
      await write('postmaster@harbour.test', 'To postmaster');
      return (await world.threads(own.id)).length;
    })
    .toBeGreaterThan(0);
  expect((await write('postmaster@elsewhere.test', 'x')).rcpt).toEqual([
    expect.stringMatching(/^550 5\.1\.1/),
  ]);
});

test('mail to the postmaster of the server goes to a new mailbox of the first team only', async () => {
  const first = createCall(world.server.url, KEY);
  const { body: domain } = await first('POST', '/domains', { name: 'home.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.id}`.execute(
    world.server.db,
  );
  // Neither a RCPT for the address nor a rejected message creates the mailbox.
  const dialogue = await openDialogue(world.server.smtpPort);
  await dialogue.say('EHLO mx.example.org');
  await dialogue.say('MAIL FROM:<charles@example.org>');
  expect(await dialogue.say('RCPT TO:<abuse@home.test>')).toMatch(/^250/);
  dialogue.drop();
  const looping = rawMail({ more: Array(51).fill('Received: from a by b; x').join('\n') });
  expect((await writeTo(world.server.smtpPort, 'postmaster', looping)).data).toMatch(/^554 5\.4\.6/);
  expect((await first('GET', '/mailboxes')).body.items).toEqual([]);

  const tos = ['postmaster', 'Postmaster', 'POSTMASTER@mx.posthorn.example'];
  const answers = await Promise.all(tos.map((to, no) => write(to, `Number ${no}`)));
  expect(answers.map(({ data }) => data)).toEqual(tos.map(() => expect.stringMatching(/^250/)));
  const { body: mailboxes } = await first('GET', '/mailboxes');
  expect(mailboxes.items).toMatchObject([{ address: 'postmaster@home.test', name: 'Postmaster' }]);
  const { body } = await first('GET', `/mailboxes/${mailboxes.items[0].id}/threads`);
  expect(body.items).toHaveLength(3);
});

test('mail to abuse and fbl is accepted like that to postmaster', async () => {
  const box = await world.createMailbox('reception');
  const countAll = async () => {
    const { body } = await world.team.call('GET', '/mailboxes');
    const counts = await Promise.all(body.items.map((item: { id: string }) => world.messageCount(item.id)));
    return counts.reduce((sum: number, count: number) => sum + count, 0);
  };
  expect(box.id).toBeTruthy();
  const before = await countAll();
  for (const local of ['abuse', 'FBL'])
    expect((await write(`${local}@harbour.test`, 'x')).data).toMatch(/^250/);
  expect(await countAll()).toBe(before + 2);
  expect((await write('abuse@mx.posthorn.example', 'x')).data).toMatch(/^250/);
  expect((await write('abuse@elsewhere.test', 'x')).rcpt).toEqual([expect.stringMatching(/^550 5\.1\.1/)]);
});

test('a complaint to a role address finds its email if it quotes the return path, and only then', async () => {
  const { server, team } = world;
  async function send(to: string): Promise<{ emailId: string; returnPath: string }> {
    const email = { from: 'news@harbour.test', to, subject: 'x', text: 'x' };
    const { emailId } = (await team.call('POST', '/emails', email)).body;
    const read = async () =>
      (await team.call('GET', '/sandbox/messages')).body.items.find(
        (item: { emailId: string }) => item.emailId === emailId,
      )?.mailFrom;
    await expect.poll(read).toBeTruthy();
    return { emailId, returnPath: await read() };
  }
  const statusOf = async (emailId: string) => (await team.call('GET', `/emails/${emailId}`)).body.status;
  const [grace, edith] = [await send('grace@example.org'), await send('edith@example.org')];

  const unproven = complaint('grace@example.org').replace(
    '<unknown@relay.example>',
    `<${grace.emailId}@harbour.test>`,
  );
  expect((await sendReport(server.smtpPort, 'fbl@harbour.test', unproven)).data).toMatch(/^250/);
  const forged = unproven.replace(
    'User-Agent',
    `Original-Mail-From: <${flipLast(grace.returnPath)}>\nUser-Agent`,
  );
  expect((await sendReport(server.smtpPort, 'fbl@harbour.test', forged)).data).toMatch(/^250/);

  const proven = complaint('edith@example.org').replace(
    'Message-ID',
    `Return-Path: <${edith.returnPath}>\nMessage-ID`,
  );
  expect((await sendReport(server.smtpPort, 'fbl@mx.posthorn.example', proven)).data).toMatch(/^250/);
  await expect.poll(() => statusOf(edith.emailId)).toBe('COMPLAINED');
  expect(await statusOf(grace.emailId)).toBe('DELIVERED');
  const { body } = await team.call('GET', '/suppressions');
  expect(body.items).toMatchObject([{ email: 'edith@example.org', reason: 'COMPLAINT' }]);
  const metrics = await readMetrics(`${server.url}/metrics`);
  expect(metrics.get('posthorn_inbound_accepted_total{folder="reports"}')).toBe(1);
});

/** Changes the last character of the signature. */
function flipLast(returnPath: string): string {
  return returnPath.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'));
}
