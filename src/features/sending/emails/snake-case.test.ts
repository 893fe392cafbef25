/** Fields in the spelling of Resend's API must not be dropped: an email for tomorrow would leave now. */
import { beforeAll, expect, test } from 'vitest';
import { addVerifiedDomain } from '../../../testing/fixtures/relay-world.ts';
import { shareTestServer, type TestTeam } from '../../../testing/test-server.ts';

let team: TestTeam;

beforeAll(async () => {
  const server = await shareTestServer();
  team = await server.createTeam();
  await addVerifiedDomain(server, team, 'spelling.test');
});

const EMAIL = { from: 'hello@spelling.test', to: 'ada@example.org', subject: 'Order', text: 'On its way' };
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString();

test('scheduled_at and reply_to are read as scheduledAt and replyTo, with a warning', async () => {
  const email = { ...EMAIL, scheduled_at: TOMORROW, reply_to: 'help@spelling.test' };
  const { status, body, headers } = await team.call('POST', '/emails', email);
  expect(status).toBe(200);
  expect(headers.get('warning')).toBe('299 - "Read scheduled_at as scheduledAt, reply_to as replyTo."');
  const stored = await team.call('GET', `/emails/${body.emailId}`);
  expect(stored.body).toMatchObject({
    status: 'SCHEDULED',
    scheduledAt: TOMORROW,
    replyTo: ['help@spelling.test'],
  });
});

test('the emails of a batch and their attachments are read alike', async () => {
  const file = { filename: 'notes', content: 'SGVsbG8=', content_type: 'text/x-notes' };
  const batch = [
    { ...EMAIL, scheduledAt: TOMORROW },
    { ...EMAIL, scheduled_at: TOMORROW, attachments: [file] },
  ];
  const { status, body, headers } = await team.call('POST', '/emails/batch', batch);
  expect(status).toBe(200);
  expect(headers.get('warning')).toBe(
    '299 - "Read scheduled_at as scheduledAt, content_type as contentType."',
  );
  for (const { emailId } of body.data) {
    expect((await team.call('GET', `/emails/${emailId}`)).body.scheduledAt).toBe(TOMORROW);
  }
  const last = await team.call('GET', `/emails/${body.data[1].emailId}`);
  expect(last.body.attachments).toMatchObject([{ contentType: 'text/x-notes' }]);
});

test('an email in our own spelling, or with unknown fields, has no warning', async () => {
  const { status, headers } = await team.call('POST', '/emails', {
    ...EMAIL,
    some_field: 1,
    headers: { 'X-a_b': '1' },
  });
  expect([status, headers.get('warning')]).toEqual([200, null]);
});

test('a field in two spellings is rejected, and so is a wrong value in snake_case', async () => {
  const twice = await team.call('POST', '/emails', { ...EMAIL, scheduled_at: TOMORROW, scheduledAt: null });
  expect([twice.status, twice.body.error.message]).toEqual([
    400,
    'scheduledAt is sent in two spellings. Send it once.',
  ]);
  const wrong = await team.call('POST', '/emails', { ...EMAIL, scheduled_at: 'whenever' });
  expect([wrong.status, wrong.body.error.issues[0].path]).toEqual([400, '/scheduledAt']);
});
