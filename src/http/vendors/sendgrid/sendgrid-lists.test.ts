import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUuid } from '../../../platform/ids.ts';
import { connectSendgrid, type Sendgrid } from '../../../testing/clients/vendor-clients.ts';
import { createSendingTeam, type SendingTeam } from '../../../testing/fixtures/sending-team.ts';
import { shareTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let team: SendingTeam;
let sendgrid: Sendgrid;
let stranger: Sendgrid;

beforeAll(async () => {
  server = await shareTestServer();
  team = await createSendingTeam(server, 'sl');
  sendgrid = connectSendgrid(server, team.key);
  stranger = connectSendgrid(server, (await server.createTeam()).key);
});
afterAll(() => server.close());

async function suppress(address: string, reason: 'HARD_BOUNCE' | 'COMPLAINT') {
  await server.db
    .insertInto('suppressions')
    .values({ team_id: team.teamId, address_key: address, address, id: newUuid(), reason })
    .execute();
}

async function emailsOf(path: string, by = sendgrid): Promise<string[]> {
  return (await by.call('GET', path)).body.map(({ email }: { email: string }) => email);
}

async function find(query: string): Promise<{ msg_id: string; to_email: string }[]> {
  const { body } = await sendgrid.call('GET', `/v3/messages?limit=10&query=${encodeURIComponent(query)}`);
  return body.messages;
}

test('suppression lists are read and changed', async () => {
  for (const name of ['a', 'b', 'c']) await suppress(`${name}@bounced.example`, 'HARD_BOUNCE');
  await suppress('angry@example.com', 'COMPLAINT');
  const recipients = { recipient_emails: ['left@example.com', 'gone@example.com'] };
  expect(await sendgrid.call('POST', '/v3/asm/suppressions/global', recipients)).toEqual({
    status: 201,
    body: recipients,
  });

  expect(await emailsOf('/v3/suppression/bounces')).toEqual([
    'c@bounced.example',
    'b@bounced.example',
    'a@bounced.example',
  ]);
  expect(await emailsOf('/v3/suppression/bounces?limit=1&offset=1')).toEqual(['b@bounced.example']);
  expect(await emailsOf('/v3/suppression/bounces?end_time=1')).toEqual([]);
  expect(await emailsOf('/v3/suppression/spam_reports')).toEqual(['angry@example.com']);
  expect((await emailsOf('/v3/suppression/unsubscribes')).toSorted()).toEqual(
    recipients.recipient_emails.toSorted(),
  );
  for (const list of ['blocks', 'invalid_emails'])
    expect(await emailsOf(`/v3/suppression/${list}`)).toEqual([]);
  expect(await emailsOf('/v3/suppression/bounces', stranger)).toEqual([]);
  await expect(sendgrid.call('GET', '/v3/suppression/none')).rejects.toMatchObject({ code: 400 });

  expect((await sendgrid.call('GET', '/v3/suppression/bounces/A@bounced.example')).body).toEqual([
    { created: expect.any(Number), email: 'a@bounced.example', reason: expect.any(String), status: '5.0.0' },
  ]);
  expect((await sendgrid.call('GET', '/v3/suppression/bounces/angry@example.com')).body).toEqual([]);
  expect((await sendgrid.call('GET', '/v3/asm/suppressions/global/left@example.com')).body).toEqual({
    recipient_email: 'left@example.com',
  });
  expect((await sendgrid.call('GET', '/v3/asm/suppressions/global/none@example.com')).body).toEqual({});

  const one = '/v3/suppression/bounces/a@bounced.example';
  await expect(stranger.call('DELETE', one)).rejects.toMatchObject({ code: 404 });
  expect(await sendgrid.call('DELETE', one)).toEqual({ status: 204, body: '' });
  await expect(sendgrid.call('DELETE', one)).rejects.toMatchObject({ code: 404 });
  await expect(sendgrid.call('DELETE', '/v3/suppression/bounces/angry@example.com')).rejects.toMatchObject({
    code: 404,
  });
  await expect(sendgrid.call('DELETE', '/v3/suppression/bounces', {})).rejects.toMatchObject({ code: 400 });
  await sendgrid.call('DELETE', '/v3/suppression/bounces', { emails: ['b@bounced.example'] });
  expect(await emailsOf('/v3/suppression/bounces')).toEqual(['c@bounced.example']);
  await sendgrid.call('DELETE', '/v3/suppression/bounces', { delete_all: true });
  expect(await emailsOf('/v3/suppression/bounces')).toEqual([]);
  expect(await emailsOf('/v3/suppression/spam_reports')).toEqual(['angry@example.com']);
  expect((await sendgrid.call('DELETE', '/v3/asm/suppressions/global/left@example.com')).status).toBe(204);
  expect(await emailsOf('/v3/suppression/unsubscribes')).toEqual(['gone@example.com']);
  const wrong = { recipient_emails: ['fine@example.com', 'wrong'] };
  await expect(sendgrid.call('POST', '/v3/asm/suppressions/global', wrong)).rejects.toMatchObject({
    code: 400,
    response: { body: { errors: [{ field: 'recipient_emails.1' }] } },
  });
  expect(await emailsOf('/v3/suppression/unsubscribes')).toEqual(['gone@example.com']);
});

test('groups are topics, and recipients that left one are skipped', async () => {
  const { status, body: group } = await sendgrid.call('POST', '/v3/asm/groups', {
    name: 'News',
    description: 'Monthly',
  });
  expect([status, group]).toMatchObject([201, { name: 'News', description: 'Monthly', unsubscribes: 0 }]);
  expect((await team.call('GET', '/topics')).body.items).toMatchObject([{ name: 'News' }]);
  const path = `/v3/asm/groups/${group.id}`;
  expect((await sendgrid.call('PATCH', path, { name: 'Newsletter' })).body).toMatchObject({
    name: 'Newsletter',
  });
  expect((await sendgrid.call('GET', '/v3/asm/groups')).body).toMatchObject([
    { id: group.id, name: 'Newsletter' },
  ]);
  await expect(stranger.call('GET', path)).rejects.toMatchObject({ code: 404 });

  const book = (await team.call('POST', '/contactBooks', { name: 'Readers' })).body.id;
  for (const email of ['Out@example.com', 'in@example.com'])
    await team.call('POST', `/contactBooks/${book}/contacts`, { email });
  const out = { recipient_emails: ['out@example.com'] };
  const suppressions = `${path}/suppressions`;
  expect((await sendgrid.call('POST', suppressions, out)).status).toBe(201);
  expect((await sendgrid.call('GET', suppressions)).body).toEqual(['Out@example.com']);
  const both = { recipient_emails: ['in@example.com', 'out@example.com'] };
  expect((await sendgrid.call('POST', `${suppressions}/search`, both)).body).toEqual(['out@example.com']);
  expect((await sendgrid.call('GET', path)).body).toMatchObject({ unsubscribes: 1 });
  const unknown = { recipient_emails: ['in@example.com', 'nowhere@example.com'] };
  await expect(sendgrid.call('POST', suppressions, unknown)).rejects.toMatchObject({ code: 400 });
  expect((await sendgrid.call('GET', suppressions)).body).toEqual(['Out@example.com']);

  const { mail } = sendgrid;
  const email = { from: `ada@${team.domain}`, subject: 'Grouped', text: 'Hi', asm: { groupId: group.id } };
  await mail.send({ ...email, to: ['out@example.com', 'in@example.com'], cc: 'OUT@example.com' });
  await mail.sendMultiple({ ...email, to: ['out@example.com', 'new@example.com'] });
  const [left] = await mail.send({ ...email, to: 'out@example.com' });
  expect([left.statusCode, Object.keys(left.headers)]).toEqual([
    202,
    expect.not.arrayContaining(['x-message-id']),
  ]);
  const { items } = (await team.call('GET', '/emails?search=Grouped')).body;
  expect(items.map(({ to, cc }: { to: string[]; cc: string[] }) => [...to, ...cc])).toEqual([
    ['new@example.com'],
    ['in@example.com'],
  ]);
  await expect(mail.send({ ...email, to: 'in@example.com', asm: { groupId: 12 } })).rejects.toMatchObject({
    code: 400,
    response: { body: { errors: [{ field: 'asm.group_id' }] } },
  });

  expect((await sendgrid.call('DELETE', `${suppressions}/out@example.com`)).status).toBe(204);
  expect((await sendgrid.call('GET', suppressions)).body).toEqual([]);
  expect((await sendgrid.call('DELETE', path)).status).toBe(204);
  await expect(sendgrid.call('GET', path)).rejects.toMatchObject({ code: 404 });
});

test('email activity is found by a query', async () => {
  const { mail } = sendgrid;
  const from = { email: `ada@${team.domain}`, name: 'Ada' };
  await mail.send({ from, to: 'Grace <grace@example.com>', subject: 'Activity', text: 'Hi' });
  await mail.send({ from, to: 'alan@example.com', subject: 'Activity', text: 'Hi' });
  expect(await find('to_email="grace@example.com"')).toMatchObject([
    {
      from_email: `ada@${team.domain}`,
      to_email: 'grace@example.com',
      subject: 'Activity',
      status: 'processing',
    },
  ]);
  expect(await find('subject="Activity" AND status="processing"')).toHaveLength(2);
  expect(await find('subject="Activity" AND status="delivered"')).toEqual([]);
  expect(await find('to_email="Activity"')).toEqual([]);
  const { msg_id } = (await find('to_email="alan@example.com"'))[0]!;
  expect((await sendgrid.call('GET', `/v3/messages/${msg_id}`)).body).toMatchObject({
    msg_id,
    opens_count: 0,
    events: [{ event_name: 'processed' }],
  });
  await expect(find('last_event_time BETWEEN 1 AND 2')).rejects.toMatchObject({
    code: 400,
    response: { body: { errors: [{ field: 'query' }] } },
  });
});
