import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  email,
  openAutomationWorld,
  sentTo,
  untilRun,
  world,
} from '../../testing/fixtures/automation-world.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/servers/webhook-receiver.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';

let receiver: WebhookReceiver;

beforeAll(async () => {
  await openAutomationWorld();
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await closeAutomationWorld();
  await receiver.close();
});

async function addPerson(): Promise<string> {
  const id = newUuid();
  await sql`insert into users (id, name, email, email_key, password_hash) values (${id}, 'Ada', ${`${id}@people.example`}, ${`${id}@people.example`}, '')`.execute(
    world.server.db,
  );
  await sql`insert into memberships (team_id, user_id, role) values (${world.team.teamId}, ${id}, 'member')`.execute(
    world.server.db,
  );
  return encodeId('usr', id);
}

function thread(fields: object) {
  return { key: 'thread', type: 'thread', ...fields };
}

function hook(fields: object = {}) {
  return { key: 'hook', type: 'webhook', url: receiver.url, ...fields };
}

describe('the thread step', () => {
  test('labels, notes and assigns the conversation of the run, and prepares a draft in it', async () => {
    const contactBookId = await addBook();
    const box = await world.freshMailbox();
    const assign = await addPerson();
    const id = await activate({
      contactBookId,
      trigger: { event: 'trial.ended' },
      steps: [
        email('ask', { from: undefined, mailboxId: box.id, subject: 'How was it?' }),
        thread({
          mailboxId: box.id,
          assign,
          label: 'Follow up',
          note: '<p>Plan {{event.plan}}</p>',
          draft: { html: '<p>Dear {{firstName}}, {{event.plan}}</p>' },
        }),
      ],
    });
    const { address } = await addContact(contactBookId);
    await call('POST', '/events', { name: 'trial.ended', email: address, data: { plan: '<b>pro</b>' } });
    const run = await untilRun(id, { status: 'DONE' });
    expect(run.history[1]).toMatchObject({ key: 'thread', type: 'thread', result: 'done' });
    const [found, ...others] = await world.threads(box.id);
    expect(others).toEqual([]);
    const { messages } = await call('GET', `/threads/${found!.id}`);
    expect(messages.map(({ status, subject }: Record<string, string>) => [status, subject])).toEqual([
      [expect.any(String), 'How was it?'],
      ['draft', 'Re: How was it?'],
    ]);
    expect(messages[1]).toMatchObject({
      html: expect.stringContaining('Dear Grace, &lt;b&gt;pro&lt;/b&gt;'),
    });
    expect(messages[0].labels).toEqual(['Follow_up']);
    const { rows } = await sql`
      select n.html, n.author, a.user_id from thread_notes n
      join thread_assignments a on a.team_id = n.team_id and a.thread_id = n.thread_id
    `.execute(world.server.db);
    expect(rows).toEqual([
      { html: '<p>Plan &lt;b&gt;pro&lt;/b&gt;</p>', author: 'automation', user_id: expect.any(String) },
    ]);
    const { rows: activity } = await sql<{ type: string }>`
      select type from mailbox_activity where actor = 'automation' order by id`.execute(world.server.db);
    expect(activity.map(({ type }) => type)).toEqual(['labelled', 'assigned', 'noted']);
  });

  test('acts on the conversation of the message that started the run', async () => {
    const contactBookId = await addBook();
    const box = await world.freshMailbox();
    const id = await activate({
      contactBookId,
      trigger: {
        event: 'mailbox.message.received',
        where: { all: [{ field: 'event.mailboxId', op: 'equals', value: box.id }] },
      },
      steps: [thread({ mailboxId: box.id, label: 'vip' }), { key: 'end', type: 'exit', reason: '{{x}}' }],
    });
    const { address } = await addContact(contactBookId);
    for (const subject of ['One', 'Two'])
      await world.write(
        box.address,
        `From: ${address}\r\nTo: ${box.address}\r\nSubject: ${subject}\r\nMessage-ID: <${subject}${address}>\r\n\r\nHello`,
        address,
      );
    await untilRun(id, { status: 'EXITED' });
    const threads = await world.threads(box.id);
    const labels = await Promise.all(
      threads.map(async (each) => {
        const { messages } = await call('GET', `/threads/${each.id}`);
        return [each.subject, messages[0].labels];
      }),
    );
    expect(new Map(labels as [string, string[]][])).toEqual(
      new Map([
        ['One', ['vip']],
        ['Two', []],
      ]),
    );
  });

  test('without a conversation, a draft begins one, and a note alone is skipped', async () => {
    const contactBookId = await addBook();
    const box = await world.freshMailbox();
    const id = await activate({
      contactBookId,
      trigger: { event: 'contact.created' },
      steps: [
        thread({ key: 'alone', mailboxId: box.id, note: 'x' }),
        thread({
          mailboxId: box.id,
          note: 'x',
          draft: { subject: 'Hello {{firstName}}', html: '<p>Hi</p>' },
        }),
      ],
    });
    await addContact(contactBookId);
    const run = await untilRun(id, { status: 'DONE' });
    expect(run.history.map(({ result }: { result: string }) => result)).toEqual([
      'skipped: no_conversation',
      'done',
    ]);
    const drafts = await call('GET', `/mailboxes/${box.id}/drafts`);
    expect(drafts.items).toMatchObject([{ subject: 'Hello Grace' }]);
  });

  test('names the step if the mailbox, the person or the work is missing', async () => {
    const box = await world.freshMailbox();
    const { id } = await call('POST', '/automations', {
      name: 'Bad',
      contactBookId: await addBook(),
      trigger: { event: 'x' },
      steps: [
        thread({ mailboxId: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h', label: 'x' }),
        thread({ key: 'b', mailboxId: box.id, assign: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h' }),
        thread({ key: 'c', mailboxId: box.id }),
      ],
    });
    const { errors } = await call('GET', `/automations/${id}/check`);
    expect(errors.map(({ path, step }: Record<string, string>) => [path, step])).toEqual([
      ['/steps/0/mailboxId', 'thread'],
      ['/steps/1/assign', 'b'],
      ['/steps/2/draft', 'c'],
    ]);
  });
});

describe('the webhook step', () => {
  test('sends filled data, and its response is read by later steps', async () => {
    receiver.forget();
    receiver.answer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"tier":"gold","score":7}'),
    );
    const contactBookId = await addBook();
    const id = await activate({
      contactBookId,
      trigger: { event: 'order.placed' },
      steps: [
        hook({
          url: `${receiver.url}/{{event.path}}?who={{email}}`,
          headers: { 'X-Plan': '{{event.plan}}' },
          data: { total: '{{event.total}}', text: 'Hi {{firstName}}', deep: [{ plan: '{{event.plan}}' }] },
        }),
        {
          key: 'gold',
          type: 'condition',
          where: {
            all: [
              { field: 'step.hook.tier', op: 'equals', value: 'gold' },
              { field: 'step.hook.score', op: 'greater', value: 6 },
            ],
          },
          next: { yes: 'mail', no: null },
        },
        email('mail', { subject: 'You are {{step.hook.tier}}' }),
      ],
    });
    const { address } = await addContact(contactBookId);
    const data = { total: 42, plan: 'a\r\nb: "c"', path: '../x?y' };
    await call('POST', '/events', { name: 'order.placed', email: address, data });
    const run = await untilRun(id, { status: 'DONE' });
    expect(run.history.map(({ result }: { result: string }) => result)).toEqual(['ok', 'yes', 'sent']);
    const [request] = await receiver.waitForCalls(1);
    expect(request!.path).toContain(`/..%2Fx%3Fy?who=${encodeURIComponent(address)}`);
    expect(request!.headers['x-plan']).toBe('a b: "c"');
    expect(request!.json.data).toMatchObject({
      total: 42,
      text: 'Hi Grace',
      deep: [{ plan: data.plan }],
      runId: run.id,
      email: address,
      event: run.event,
    });
    const { secret } = await call('GET', `/automations/${id}/webhook-secret`);
    expect(secret).toMatch(/^whsec_/);
    expect((await world.other.call('GET', `/automations/${id}/webhook-secret`)).status).toBe(404);
    await vi.waitFor(async () => expect(await sentTo(address)).toHaveLength(1), { timeout: 60_000 });
    expect((await sentTo(address))[0]!.subject).toBe('You are gold');
  });

  test('takes the way failed when its endpoint has not answered for a day', async () => {
    receiver.answer(500);
    const contactBookId = await addBook();
    const id = await activate({
      contactBookId,
      trigger: { event: 'contact.created' },
      steps: [hook({ next: { ok: null, failed: 'end' } }), { key: 'end', type: 'exit', reason: 'down' }],
    });
    await addContact(contactBookId);
    const run = await untilRun(id, { status: 'ACTIVE', step: 'hook' });
    expect(run.history).toEqual([]);
    await sql`update automation_runs set entered_at = entered_at - interval '25 hours' where status = 'ACTIVE' and step = 'hook'`.execute(
      world.server.db,
    );
    await sql`update jobs set due_at = now() where name = 'call-automation-webhook'`.execute(world.server.db);
    await untilRun(id, { status: 'EXITED', reason: 'down' });
  });
});

test('what filters refer to must exist, and names of our own events must be ours', async () => {
  const contactBookId = await addBook();
  const where = { any: [{ field: 'topic', op: 'in', value: 'top_01kbd8x4zvf7m8rk2q3w5t6y7h' }] };
  const { id } = await call('POST', '/automations', {
    name: 'Bad',
    contactBookId,
    trigger: { event: 'x', where },
    steps: [
      {
        key: 'a',
        type: 'condition',
        where: {
          all: [{ any: [{ field: 'step.gone', op: 'opened' }] }, { field: 'step.a.x', op: 'exists' }],
        },
      },
    ],
    exitOn: [{ event: 'y', where }],
  });
  const { errors } = await call('GET', `/automations/${id}/check`);
  expect(errors.map(({ path }: { path: string }) => path)).toEqual([
    '/trigger/where/any/0/value',
    '/steps/0/where/all/0/any/0/field',
    '/steps/0/where/all/1/field',
    '/exitOn/0/where/any/0/value',
  ]);
  const other = await call('POST', '/segments', {
    name: 'S',
    contactBookId: await addBook(),
    filter: { all: [{ field: 'email', op: 'exists' }] },
  });
  await call('PATCH', `/automations/${id}`, {
    trigger: { segmentId: other.id },
    exitOn: [],
    steps: [{ key: 'a', type: 'exit' }],
  });
  const activated = await world.team.call('POST', `/automations/${id}/activate`);
  expect([activated.status, activated.body.error.issues[0].path]).toEqual([400, '/trigger/segmentId']);
  for (const event of ['email.openned', 'domain.verified', 'automation.run.ended', 'Order'])
    expect((await world.team.call('PATCH', `/automations/${id}`, { trigger: { event } })).status).toBe(400);
});

test('unsubscribing cancels an email in the queue, and its end is told to webhooks', async () => {
  receiver.forget();
  receiver.answer(200);
  await call('POST', '/webhooks', { url: receiver.url, events: ['automation.*'] });
  const contactBookId = await addBook();
  const id = await activate({
    contactBookId,
    trigger: { event: 'contact.created' },
    steps: [
      { key: 'first', type: 'delay', for: '2 seconds' },
      email('one'),
      { key: 'rest', type: 'delay', for: '3 days' },
    ],
  });
  const { address, contactId } = await addContact(contactBookId);
  // Nobody takes the email from the queue until then.
  await sql`create function keep_queued() returns trigger language plpgsql as
    'begin new.due_at := new.due_at + interval ''1 day''; return new; end'`.execute(world.server.db);
  await sql`create trigger keep_queued before insert on deliveries for each row execute function keep_queued()`.execute(
    world.server.db,
  );
  const run = await untilRun(id, { status: 'ACTIVE', step: 'rest' });
  await sql`drop function keep_queued() cascade`.execute(world.server.db);
  await call('PATCH', `/contactBooks/${contactBookId}/contacts/${contactId}`, { subscribed: false });
  const { emailId } = run.history[1];
  await vi.waitFor(
    async () => expect((await call('GET', `/emails/${emailId}`)).status ?? '').toMatch(/CANCELLED/),
    { timeout: 30_000 },
  );
  expect(await sentTo(address)).toEqual([]);
  await vi.waitFor(
    () => {
      const ended = receiver.calls.filter(({ json }) => json.data.runId === run.id).map(({ json }) => json);
      expect(ended).toMatchObject([
        { type: 'automation.run.started' },
        { type: 'automation.run.ended', data: { status: 'EXITED', reason: 'unsubscribed' } },
      ]);
    },
    { timeout: 30_000 },
  );
});
