import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createSoftPasskey } from '../../../testing/clients/authenticator.ts';
import {
  acceptInvitation,
  createPersonCall,
  newEmail,
  PASSWORD,
  setUpOwner,
  signIn,
  turnOnTwoFactor,
  type TestPerson,
} from '../../../testing/people.ts';
import { startSmtpSink, type SmtpSink } from '../../../testing/smtp-sink.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

const NEW_PASSWORD = 'a staple of batteries';
const ORIGIN = 'https://mail.shop.test';

let sink: SmtpSink;
let server: TestServer;
let owner: TestPerson;

beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startTestServer({
    doors: ['http', 'worker'],
    env: { BASE_URL: ORIGIN, MAIL_TRANSPORT: 'relay', RELAY_URL: `smtp://127.0.0.1:${sink.port}` },
  });
  owner = await setUpOwner(server);
});
afterAll(async () => {
  await server.close();
  await sink.close();
});
beforeEach(async () => {
  sink.reset();
  await sql`delete from sign_in_failures`.execute(server.db);
});

/** Waits for the email to this address that has such a link. */
async function receive(email: string, path: '/invitation' | '/reset') {
  const find = () =>
    sink.messages.find(({ recipients, data }) => recipients.includes(email) && data.includes(path));
  await expect.poll(find, { interval: 20 }).toBeDefined();
  const { data } = find()!;
  const mail = await PostalMime.parse(data);
  return { mail, link: new URL(/https?:\S+token=[0-9a-z]+/.exec(mail.text!)![0]) };
}

/** Adds a person who opens the link in the invitation email. */
async function addByMail(role: string): Promise<TestPerson> {
  const email = newEmail();
  await owner.call('POST', '/invitations', { email, role });
  const { link } = await receive(email, '/invitation');
  return acceptInvitation(server, link.searchParams.get('token')!, `A ${role}`);
}

function requestReset(email: string) {
  return server.call('POST', '/auth/forgotten', { email });
}

test('without a verified domain no email is sent, and the answer says so', async () => {
  const made = await owner.call('POST', '/invitations', { email: newEmail(), role: 'member' });
  expect(made.body).toMatchObject({
    mailed: false,
    notMailedBecause: 'no_domain',
    link: expect.stringContaining('/invitation?token='),
  });
  expect((await requestReset(owner.email)).body).toEqual({ success: true, canSend: false });
  // Verify the domain without DNS for the tests that follow.
  const { body: domain } = await owner.call('POST', '/domains', { name: 'shop.test' });
  await sql`update domains set held = true, status = 'SUCCESS' where id = ${domain.id}`.execute(server.db);
});

test('an invitation email contains the link as text and as HTML, and the inviter does not see it', async () => {
  const email = newEmail();
  const made = await owner.call('POST', '/invitations', { email, role: 'member' });
  expect(made.body).toMatchObject({ mailed: true, link: null, notMailedBecause: null });
  const { mail, link } = await receive(email, '/invitation');
  expect(mail).toMatchObject({ subject: 'Join My team', from: { address: 'no-reply@shop.test' } });
  expect(mail.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  );
  expect(mail.html).toContain(`href="${link.href}"`);
  const shown = await server.call('GET', `/auth/invitation${link.search}`);
  expect(shown.body).toEqual({ email, teamName: 'My team', proves: true });
  expect(mail.text).toContain('expires in 7 days');
});

test('the API never shows the link in an account email', async () => {
  const member = await addByMail('member');
  const email = newEmail();
  await owner.call('POST', '/invitations', { email, role: 'admin' });
  const token = (await receive(email, '/invitation')).link.searchParams.get('token')!;
  const { items } = (await member.call('GET', `/emails?search=${email}`)).body;
  expect(items).toMatchObject([{ to: [email], subject: 'Join My team' }]);
  const shown = await member.call('GET', `/emails/${items[0].id}`);
  const source = await member.call('GET', `/emails/${items[0].id}/source`);
  expect([shown.status, source.status]).toEqual([200, 200]);
  expect(JSON.stringify([shown.body, source.body])).not.toContain(token);
  expect(shown.body).toMatchObject({ html: null, text: null });
  expect(source.body.raw).toBeNull();
});

test('no link is sent to a mailbox of this instance, because its whole team could read it', async () => {
  const { status, body: mailbox } = await owner.call('POST', '/mailboxes', { address: 'ada@shop.test' });
  expect([status, mailbox.address]).toEqual([200, 'ada@shop.test']);
  const made = await owner.call('POST', '/invitations', { email: 'Ada@shop.test', role: 'admin' });
  expect(made.body).toMatchObject({ mailed: false, notMailedBecause: 'own_mailbox' });
  // The team holds the domain, so it decides who has the address.
  const token = new URL(made.body.link).searchParams.get('token')!;
  const ada = await acceptInvitation(server, token, 'Ada');
  expect((await ada.call('GET', '/auth/session')).body.user.proven).toBe(true);
});

test('an invitation to a suppressed address is not mailed, and the link is shown to nobody', async () => {
  const email = newEmail();
  await owner.call('POST', '/suppressions', { email });
  const made = await owner.call('POST', '/invitations', { email, role: 'member' });
  expect(made.status).toBe(200);
  expect(made.body).toMatchObject({ mailed: false, link: null, notMailedBecause: 'suppressed' });
});

test('a reset link sent by email sets a new password once', async () => {
  const person = await addByMail('member');
  expect((await requestReset(person.email.toUpperCase())).body).toEqual({ success: true, canSend: true });
  const { mail, link } = await receive(person.email, '/reset');
  expect(mail).toMatchObject({ subject: 'Reset your password', from: { address: 'no-reply@shop.test' } });
  const token = link.searchParams.get('token');
  const reset = () => server.call('POST', '/auth/reset', { token, password: NEW_PASSWORD });
  expect((await reset()).status).toBe(200);
  expect((await reset()).status).toBe(400);
  expect((await createPersonCall(server.url, person.cookie)('GET', '/auth/session')).status).toBe(401);
  expect((await signIn(server, person.email, NEW_PASSWORD)).email).toBe(person.email);
  await expect(signIn(server, person.email, PASSWORD)).rejects.toThrow('Not let in');
  const { rows } = await sql<{ hours: number }>`
    select extract(epoch from max(expires_at) - now()) / 3600 as hours from password_resets`.execute(
    server.db,
  );
  expect(rows[0]!.hours).toBeNull();
});

test('people are told what was changed about how they sign in', async () => {
  const person = await addByMail('member');
  const proof = { password: NEW_PASSWORD };
  const ok = async (method: string, path: string, body: object) => {
    const answer = await person.call(method, path, body);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return answer.body;
  };
  await ok('PATCH', '/auth/me', { name: 'Ada', language: 'de' });
  await ok('PATCH', '/auth/me', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
  const options = await ok('POST', '/auth/passkeys/options', proof);
  const credential = createSoftPasskey(ORIGIN).make(options);
  const passkey = await ok('POST', '/auth/passkeys', { name: 'Laptop', credential });
  await ok('DELETE', `/auth/passkeys/${passkey.id}`, proof);
  await turnOnTwoFactor(person, NEW_PASSWORD);
  await ok('POST', '/auth/recovery-codes', proof);
  await ok('DELETE', '/auth/totp', proof);
  await ok('DELETE', '/auth/totp', proof);
  await requestReset(person.email);
  const { link } = await receive(person.email, '/reset');
  const token = link.searchParams.get('token');
  await server.call('POST', '/auth/reset', { token, password: PASSWORD });
  const mails = async () => {
    const own = sink.messages.filter(({ recipients }) => recipients.includes(person.email));
    return Promise.all(own.map(({ data }) => PostalMime.parse(data)));
  };
  const subjects = async () => (await mails()).map(({ subject }) => subject!).toSorted();
  await expect
    .poll(subjects)
    .toEqual([
      'A passkey was added to your account',
      'A passkey was removed from your account',
      'Join My team',
      'Reset your password',
      'Two-factor authentication is off',
      'Two-factor authentication is on',
      'You have new recovery codes',
      'Your password was changed',
      'Your password was changed',
    ]);
  const added = (await mails()).find(({ subject }) => subject!.includes('added'))!;
  expect(added.text).toContain('"Laptop"');
  expect(added.text).toContain(`${ORIGIN}/settings`);
});

const mailsToGrace = () => sink.messages.filter(({ recipients }) => recipients.includes('grace@shop.test'));

test('who has a mailbox of this instance is told as well', async () => {
  await owner.call('POST', '/mailboxes', { address: 'grace@shop.test' });
  const { body: invited } = await owner.call('POST', '/invitations', {
    email: 'grace@shop.test',
    role: 'member',
  });
  const token = new URL(invited.link).searchParams.get('token')!;
  const grace = await acceptInvitation(server, token, 'Grace');
  await grace.call('PATCH', '/auth/me', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD });
  await expect.poll(mailsToGrace).toHaveLength(1);
  expect(mailsToGrace()[0]!.data.toString()).toContain('Your password was changed');
});

test('an address without an account gets the same answer but no email', async () => {
  const nobody = newEmail();
  expect((await requestReset(nobody)).body).toEqual({ success: true, canSend: true });
  const person = await addByMail('member');
  await requestReset(person.email);
  await receive(person.email, '/reset');
  expect(sink.messages.filter(({ recipients }) => recipients.includes(nobody))).toEqual([]);
});

test('reset requests are limited per address, with or without an account, and do not block signing in', async () => {
  const person = await addByMail('member');
  for (const email of [person.email, newEmail()]) {
    const answers = [];
    for (let time = 0; time < 4; time++) answers.push((await requestReset(email)).status);
    expect(answers).toEqual([200, 200, 200, 429]);
  }
  expect((await signIn(server, person.email)).email).toBe(person.email);
  for (const body of [{}, { email: 'nobody' }, { email: 5 }]) {
    expect((await server.call('POST', '/auth/forgotten', body)).status).toBe(400);
  }
});
