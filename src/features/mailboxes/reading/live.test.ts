import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;
let count = 0;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

interface Event {
  id: string;
  event: string;
  data: { type: string; mailbox_id: string; thread_id: string; message_id: string | null };
}

/** Opens the event stream. `next` returns the events one by one, without pings. */
async function listen(mailboxId: string, lastEventId?: string, key = world.team.key, query = '') {
  const ending = new AbortController();
  const response = await fetch(`${world.server.url}/api/v1/mailboxes/${mailboxId}/events${query}`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
    signal: ending.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  async function next(): Promise<Event> {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const fields = Object.fromEntries(
          block.split('\n').map((line) => [line.split(':')[0], line.replace(/^\w*: ?/, '')]),
        ) as Record<string, string>;
        if (fields.event && fields.event !== 'ping')
          return { id: fields.id!, event: fields.event, data: JSON.parse(fields.data!) };
        continue;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error('The stream has ended.');
      text += value;
    }
  }
  return { response, next, reader, close: () => ending.abort() };
}

async function send(mailboxId: string, input: object = {}) {
  const message = {
    to: ['x@example.org'],
    subject: `Live ${(count += 1)}`,
    text: 'x',
    undo_seconds: 120,
    ...input,
  };
  return (await world.team.call('POST', `/mailboxes/${mailboxId}/messages`, message)).body;
}

test('the stream reports received mail, changed threads, and sent or cancelled messages', async () => {
  const box = await world.createMailbox('live');
  const stream = await listen(box.id);
  expect(stream.response.status).toBe(200);
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
  await world.write(box.address, rawMail());
  const received = await stream.next();
  const [thread] = await world.threads(box.id);
  expect(received.event).toBe('message.received');
  expect(received.data).toMatchObject({
    type: 'message.received',
    mailbox_id: box.id,
    thread_id: thread!.id,
  });
  expect((await world.team.call('GET', `/messages/${received.data.message_id}`)).status).toBe(200);

  await world.team.call('PATCH', `/threads/${thread!.id}`, { read: true });
  expect((await stream.next()).data).toMatchObject({ type: 'thread.changed', thread_id: thread!.id });

  const sent = await send(box.id);
  expect((await stream.next()).data).toMatchObject({ type: 'thread.changed', message_id: sent.id });
  await world.team.call('POST', `/scheduled/${sent.id}/send-now`);
  expect((await stream.next()).data).toMatchObject({ type: 'message.left', message_id: sent.id });

  const cancelled = await send(box.id);
  await stream.next();
  await world.team.call('DELETE', `/scheduled/${cancelled.id}`);
  expect((await stream.next()).data).toMatchObject({ type: 'message.taken_back', message_id: cancelled.id });
  stream.close();
});

test('the stream reports a message that bounces, and webmail then shows it as bounced', async () => {
  const box = await world.createMailbox('bounces');
  const stream = await listen(box.id);
  const sent = await send(box.id, { to: ['bounce@simulator.test'], undo_seconds: 0 });
  expect((await stream.next()).data).toMatchObject({ type: 'message.left', message_id: sent.id });
  expect((await stream.next()).data).toMatchObject({ type: 'thread.changed', message_id: sent.id });
  expect((await world.team.call('GET', `/messages/${sent.id}`)).body.status).toBe('bounced');
  stream.close();
});

test('a client that reconnects gets every missed event once and in order', async () => {
  const box = await world.createMailbox('away');
  const before = await listen(box.id);
  await world.write(box.address, rawMail());
  const { id } = await before.next();
  before.close();
  await Promise.all(Array.from({ length: 8 }, () => world.write(box.address, rawMail())));
  const after = await listen(box.id, id);
  const missed: Event[] = [];
  for (let at = 0; at < 8; at += 1) missed.push(await after.next());
  const ids = missed.map((event) => Number(event.id));
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  expect(ids[0]).toBeGreaterThan(Number(id));
  expect(new Set(missed.map(({ data }) => data.message_id)).size).toBe(8);
  after.close();
  const again = await listen(box.id, missed.at(-1)!.id);
  await world.write(box.address, rawMail());
  expect(Number((await again.next()).id)).toBeGreaterThan(ids.at(-1)!);
  again.close();
});

test('the stream requires access to the mailbox and a valid event id', async () => {
  const box = await world.createMailbox('private');
  expect((await listen(box.id, undefined, world.other.key)).response.status).toBe(404);
  expect((await listen(box.id, undefined, 'nobody')).response.status).toBe(401);
  expect((await listen(box.id, 'x')).response.status).toBe(400);
});

test('an empty Last-Event-ID is ignored', async () => {
  const box = await world.createMailbox('empty');
  const { response, close } = await listen(box.id, '');
  expect(response.status).toBe(200);
  close();
});

test('a page can pass the last event id in the URL', async () => {
  const box = await world.createMailbox('asleep');
  const before = await listen(box.id);
  await world.write(box.address, rawMail());
  const { id } = await before.next();
  before.close();
  await world.write(box.address, rawMail({ subject: 'Meanwhile' }));
  const [missed] = await world.threads(box.id);
  const after = await listen(box.id, undefined, world.team.key, `?last_event_id=${id}`);
  expect((await after.next()).data).toMatchObject({ type: 'message.received', thread_id: missed!.id });
  after.close();
  expect((await listen(box.id, undefined, world.team.key, '?last_event_id=x')).response.status).toBe(400);
});

test('a stream ends immediately when the server stops', async () => {
  const own = await startMailWorld();
  const box = await own.createMailbox('ending');
  const response = await fetch(`${own.server.url}/api/v1/mailboxes/${box.id}/events`, {
    headers: { authorization: `Bearer ${own.team.key}` },
  });
  const [text] = await Promise.all([response.text(), own.close()]);
  expect(text).toMatch(/^retry: 2000\nid: \d+\nevent: ping\n/);
});

test('many concurrent streams cause no leak warning', async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(`${warning.name}: ${warning.message}`);
  process.on('warning', note);
  const mailbox = await world.freshMailbox();
  const listeners = await Promise.all(Array.from({ length: 12 }, () => listen(mailbox.id)));
  // A stream is subscribed once its first bytes have arrived.
  await Promise.all(listeners.map(({ reader }) => reader.read()));
  process.off('warning', note);
  for (const { close } of listeners) close();
  expect(warnings).toEqual([]);
});
