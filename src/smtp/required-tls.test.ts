import { connect } from 'node:tls';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addVerifiedDomain, startRelayWorld, type RelayWorld } from '../testing/fixtures/relay-world.ts';
import { openDialogue } from '../testing/smtp-dialogue.ts';
import type { TestTeam } from '../testing/test-server.ts';

let world: RelayWorld;
let team: TestTeam;

beforeAll(async () => {
  world = await startRelayWorld({ doors: ['http', 'smtp', 'worker'] });
  team = await world.server.createTeam();
  await addVerifiedDomain(world.server, team, 'shop.test');
});
afterAll(() => world.close());
beforeEach(() => world.sink.reset());

/** Submits over TLS, and returns the email once it has this status. */
async function send(to: string, status: string, envelope: object = {}) {
  const mailer = nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.server.submissionsPort,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: 'anyone', pass: team.key },
  });
  const { response } = await mailer.sendMail({
    envelope: { from: 'ada@shop.test', to, ...envelope },
    raw: `From: ada@shop.test\r\nTo: ${to}\r\nSubject: x\r\n\r\nx\r\n`,
  });
  const emailId = /eml_\w+/.exec(response)![0];
  const get = async () => (await team.call('GET', `/emails/${emailId}`)).body;
  await expect.poll(async () => (await get()).status, { timeout: 30_000 }).toBe(status);
  return get();
}

function lastEvent(email: { emailEvents: { status: string; data: Record<string, unknown> | null }[] }) {
  return email.emailEvents.find(({ status }) => status === 'BOUNCED')!.data;
}

test('REQUIRETLS is offered only under TLS, on both ports', async () => {
  for (const port of [world.server.smtpPort, world.server.submissionPort]) {
    const dialogue = await openDialogue(port);
    expect(await dialogue.say('EHLO me.test')).not.toContain('REQUIRETLS');
    expect(await dialogue.say('STARTTLS')).toMatch(/^220/);
    dialogue.drop();
  }
  const inbound = await openDialogue(world.server.smtpPort);
  await inbound.say('EHLO me.test');
  expect(await inbound.say('MAIL FROM:<ada@example.org> REQUIRETLS')).toMatch(/^555 5\.5\.4/);
  inbound.drop();

  const socket = connect({
    port: world.server.submissionsPort,
    host: '127.0.0.1',
    rejectUnauthorized: false,
  });
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString();
  });
  await expect.poll(() => heard, { timeout: 30_000 }).toMatch(/^220 /);
  socket.write('EHLO me.test\r\n');
  await expect.poll(() => heard, { timeout: 30_000 }).toMatch(/^250[ -]REQUIRETLS\r$/m);
  socket.destroy();
});

test('a message that requires TLS bounces with 5.7.30 at a relay without it, and is not sent', async () => {
  const email = await send('secret@example.org', 'BOUNCED', { requireTLSExtensionEnabled: true });
  expect(lastEvent(email)).toMatchObject({ enhanced: '5.7.30' });
  expect(world.sink.commands.join('\n')).not.toContain('secret@example.org');
});

test('a message that requires TLS bounces at a relay whose certificate cannot be verified', async () => {
  world.sink.behave({ starttls: 'offered', extensions: ['REQUIRETLS'] });
  const email = await send('unverified@example.org', 'BOUNCED', { requireTLSExtensionEnabled: true });
  expect(lastEvent(email)).toMatchObject({ enhanced: '5.7.30' });
  expect(world.sink.commands.join('\n')).not.toContain('unverified@example.org');
  await send('usual@example.org', 'DELIVERED');
});

test('a recipient outside ASCII bounces with 5.6.7 at a server without SMTPUTF8', async () => {
  world.sink.behave({ extensions: ['8BITMIME'] });
  const email = await send('zoë@example.org', 'BOUNCED');
  expect(lastEvent(email)).toMatchObject({ enhanced: '5.6.7' });
});

test('a domain outside ASCII is sent in its ASCII form, in the envelope and in the header', async () => {
  world.sink.behave({ extensions: ['8BITMIME'] });
  await send('zoe@bücher.example', 'DELIVERED');
  const [message] = world.sink.messages;
  expect(message!.recipients).toEqual(['zoe@xn--bcher-kva.example']);
  expect(message!.data.toString()).toContain('To: zoe@xn--bcher-kva.example\r\n');
});
