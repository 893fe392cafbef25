import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../testing/mail-world.ts';
import { openDialogue, type Dialogue } from '../testing/smtp-dialogue.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld({ doors: ['http', 'smtp', 'worker'] });
});
afterAll(() => world.close());

async function login(secret = world.team.key, user = 'anyone'): Promise<Dialogue> {
  const dialogue = await openDialogue(world.server.submissionPort);
  await dialogue.say('EHLO me.test');
  expect(await dialogue.say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${secret}`).toString('base64')}`)).toMatch(
    /^235/,
  );
  return dialogue;
}

async function submit(dialogue: Dialogue, parameters: string, from = 'ada@harbour.test'): Promise<string> {
  expect(await dialogue.say(`MAIL FROM:<${from}> ${parameters}`)).toMatch(/^250/);
  expect(await dialogue.say('RCPT TO:<someone@example.org>')).toMatch(/^250/);
  await dialogue.say('DATA');
  const answer = await dialogue.say(`From: ${from}\r\nSubject: For later\r\n\r\nBody\r\n.`);
  expect(answer).toMatch(/^250/);
  return /eml_\w+/.exec(answer)![0];
}

async function get(emailId: string) {
  return (await world.team.call('GET', `/emails/${emailId}`)).body;
}

test('the submission port offers to hold a message for a year, and the inbound port does not', async () => {
  const dialogue = await openDialogue(world.server.submissionPort);
  const ehlo = await dialogue.say('EHLO me.test');
  const [, seconds, until] = /^250[ -]FUTURERELEASE (\d+) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/m.exec(ehlo)!;
  expect(Number(seconds)).toBe(365 * 24 * 60 * 60);
  expect(Math.abs(Date.parse(until!) - Date.now() - Number(seconds) * 1_000)).toBeLessThan(600_000);
  dialogue.drop();
  const inbound = await openDialogue(world.server.smtpPort);
  expect(await inbound.say('EHLO me.test')).not.toContain('FUTURERELEASE');
  expect(await inbound.say('MAIL FROM:<ada@example.org> HOLDFOR=60')).toMatch(/^555 5\.5\.4/);
  inbound.drop();
});

test('a message with HOLDFOR is a scheduled email, which can be cancelled', async () => {
  const dialogue = await login();
  const emailId = await submit(dialogue, 'HOLDFOR=3600');
  const email = await get(emailId);
  expect(email.status).toBe('SCHEDULED');
  expect(Math.abs(Date.parse(email.scheduledAt) - Date.now() - 3_600_000)).toBeLessThan(600_000);
  const { body: list } = await world.team.call('GET', '/emails?status=SCHEDULED');
  expect(JSON.stringify(list)).toContain(emailId);
  expect((await world.team.call('POST', `/emails/${emailId}/cancel`)).status).toBe(200);
  expect((await get(emailId)).status).toBe('CANCELLED');
});

test('a message with HOLDUNTIL leaves then', async () => {
  const dialogue = await login();
  const until = new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+/, '');
  const later = await submit(dialogue, `HOLDUNTIL=${until}`);
  expect((await get(later)).scheduledAt).toBe(new Date(until).toISOString());
  const soon = await submit(dialogue, 'HOLDFOR=1');
  await expect.poll(async () => (await get(soon)).status, { timeout: 30_000 }).toBe('DELIVERED');
});

test('times that cannot be kept are rejected with 501', async () => {
  const dialogue = await login();
  for (const bad of [
    'HOLDFOR',
    'HOLDFOR=-1',
    'HOLDFOR=1.5',
    'HOLDFOR=31536001',
    'HOLDUNTIL=tomorrow',
    'HOLDUNTIL=2020-01-01T00:00:00Z',
    'HOLDUNTIL=2026-13-01T00:00:00Z',
    'HOLDUNTIL=9999-01-01T00:00:00Z',
    'HOLDUNTIL=2027-01-01T00:00:00+01:00',
    'HOLDFOR=60 HOLDUNTIL=2027-01-01T00:00:00Z',
  ])
    expect(await dialogue.say(`MAIL FROM:<ada@harbour.test> ${bad}`), bad).toMatch(/^501 5\.5\.4/);
  dialogue.drop();
});

test('a held message of an email app waits in its mailbox, and can be taken back there', async () => {
  const box = await world.freshMailbox();
  const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'App' });
  const dialogue = await login(body.password, box.address);
  await submit(dialogue, 'HOLDFOR=3600', box.address);
  const waiting = async () => (await world.team.call('GET', `/mailboxes/${box.id}/scheduled`)).body.items;
  const [message] = await waiting();
  expect(message).toMatchObject({ subject: 'For later', to: [] });
  expect((await world.team.call('DELETE', `/scheduled/${message.id}`)).status).toBe(200);
  expect(await waiting()).toEqual([]);
});
