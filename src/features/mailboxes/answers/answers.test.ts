import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

function calendar(method: string, sequence: number, more = ''): string {
  return `BEGIN:VCALENDAR
METHOD:${method}
BEGIN:VEVENT
UID:engine-${method === 'REPLY' ? 'x' : 'y'}${more}
SEQUENCE:${sequence}
DTSTART:20261201T0${9 + (sequence > 0 ? 0 : -1)}0000Z
DTEND:20261201T100000Z
SUMMARY:Engine ${sequence}
ORGANIZER;CN=Charles:mailto:charles@example.org
ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@harbour.test
END:VEVENT
END:VCALENDAR`;
}

function invite(
  method: string,
  sequence: number,
  { from = 'Charles <charles@example.org>', more = '' } = {},
): string {
  return rawMail({
    from,
    subject: `${method} ${sequence}${more}`,
    more: 'MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b',
    text: `--b\nContent-Type: text/plain\n\nCome\n--b\nContent-Type: text/calendar; charset=utf-8; method=${method}\n\n${calendar(method, sequence, more)}\n--b--`,
  });
}

async function messageOf(box: { id: string }, subject: string) {
  const threads = await world.threads(box.id);
  for (const { id } of threads) {
    const { messages } = await world.thread(id);
    const found = messages.find((each) => each.subject === subject);
    if (found) return (await world.team.call('GET', `/messages/${found.id}`)).body;
  }
  return null;
}

async function sent(subject: string): Promise<{ raw: string; recipient: string }[]> {
  const { body } = await world.team.call('GET', '/sandbox/messages?limit=100');
  return body.items.filter(({ raw }: { raw: string }) => raw.includes(`Subject: ${subject}`));
}

test('an invitation is answered, updated and cancelled by its organiser alone', async () => {
  const box = await world.createMailbox('ada');
  await world.write(box.address, invite('REQUEST', 0));
  const first = await messageOf(box, 'REQUEST 0');
  expect(first.invitation).toMatchObject({
    method: 'REQUEST',
    summary: 'Engine 0',
    start: '2026-12-01T08:00:00.000Z',
    organizer: { name: 'Charles', email: 'charles@example.org' },
    status: 'confirmed',
    answer: null,
    trusted: true,
  });
  const path = `/messages/${first.id}/invitation`;
  const { status, body } = await world.team.call('POST', path, { answer: 'accepted', comment: 'See you' });
  expect([status, body.answer]).toEqual([200, 'accepted']);
  await expect.poll(() => sent('Accepted: Engine 0'), { timeout: 20_000 }).toHaveLength(1);
  const [reply] = await sent('Accepted: Engine 0');
  expect(reply!.recipient).toBe('charles@example.org');
  const part = /method=REPLY[^\n]*\n[^\n]*\n\r?\n([A-Za-z0-9+/=\s]+)--/.exec(reply!.raw)![1]!;
  const answer = Buffer.from(part, 'base64').toString();
  expect(answer).toContain('ATTENDEE;PARTSTAT=ACCEPTED');
  expect(answer).toContain('UID:engine-y');

  await world.write(box.address, invite('REQUEST', 1));
  expect((await messageOf(box, 'REQUEST 0')).invitation).toMatchObject({ summary: 'Engine 1', sequence: 1 });
  await world.write(box.address, invite('CANCEL', 2, { from: 'Mallory <mallory@evil.test>' }));
  expect((await messageOf(box, 'REQUEST 0')).invitation).toMatchObject({ status: 'confirmed' });
  expect((await messageOf(box, 'CANCEL 2')).invitation).toMatchObject({ trusted: false });
  await world.write(box.address, invite('CANCEL', 3));
  expect((await messageOf(box, 'REQUEST 0')).invitation).toMatchObject({
    status: 'cancelled',
    answer: 'accepted',
  });
  expect((await world.team.call('POST', path, { answer: 'declined' })).status).toBe(409);
  expect((await world.other.call('POST', path, { answer: 'declined' })).status).toBe(404);
});

/** The lines of the start and the end, an hour later. */
function times(day: number, hour: number): string[] {
  return [
    `DTSTART:202612${String(day).padStart(2, '0')}T${hour}0000Z`,
    `DTEND:202612${String(day).padStart(2, '0')}T${hour + 1}0000Z`,
  ];
}

test('dates of a series are moved, cancelled and answered by themselves', async () => {
  const box = await world.freshMailbox();
  const send = (subject: string, method: string, lines: string[], from = 'Charles <charles@example.org>') =>
    world.write(
      box.address,
      rawMail({
        from,
        subject,
        more: `MIME-Version: 1.0\nContent-Type: text/calendar; charset=utf-8; method=${method}`,
        text: [
          'BEGIN:VCALENDAR',
          `METHOD:${method}`,
          'BEGIN:VEVENT',
          'UID:series',
          'SUMMARY:Engine',
          'ORGANIZER:mailto:charles@example.org',
          ...lines,
          'END:VEVENT',
          'END:VCALENDAR',
        ].join('\n'),
      }),
    );
  await send('Series', 'REQUEST', ['RRULE:FREQ=WEEKLY', 'EXDATE:20261222T100000Z', ...times(1, 10)]);
  await send('Moved', 'REQUEST', ['SEQUENCE:1', 'RECURRENCE-ID:20261208T100000Z', ...times(8, 14)]);
  await send('Gone', 'CANCEL', ['SEQUENCE:1', 'RECURRENCE-ID:20261215T100000Z']);
  await send('Fake', 'CANCEL', ['SEQUENCE:9', 'RECURRENCE-ID:20261229T100000Z'], 'M <m@evil.test>');
  const invitationOf = async (subject: string) => (await messageOf(box, subject)).invitation;
  const gone = { start: null, end: null, status: 'cancelled' };
  expect(await invitationOf('Series')).toMatchObject({
    status: 'confirmed',
    start: '2026-12-01T10:00:00.000Z',
    occurrence: null,
    exceptions: [
      {
        occurrence: '2026-12-08T10:00:00.000Z',
        start: '2026-12-08T14:00:00.000Z',
        end: '2026-12-08T15:00:00.000Z',
        status: 'moved',
      },
      { occurrence: '2026-12-15T10:00:00.000Z', ...gone },
      { occurrence: '2026-12-22T10:00:00.000Z', ...gone },
    ],
  });
  const moved = await messageOf(box, 'Moved');
  expect(moved.invitation).toMatchObject({ occurrence: '2026-12-08T10:00:00.000Z', exceptions: [] });
  await world.team.call('POST', `/messages/${moved.id}/invitation`, { answer: 'declined' });
  expect([(await invitationOf('Moved')).answer, (await invitationOf('Series')).answer]).toEqual([
    'declined',
    null,
  ]);
  await expect.poll(() => sent('Declined: Engine'), { timeout: 20_000 }).toHaveLength(1);
  const [reply] = await sent('Declined: Engine');
  const part = /method=REPLY[^\n]*\n[^\n]*\n\r?\n([A-Za-z0-9+/=\s]+)--/.exec(reply!.raw)![1]!;
  expect(Buffer.from(part, 'base64').toString()).toContain('RECURRENCE-ID:20261208T100000Z');

  // A later version of the series does not move its dates. Its cancellation cancels them.
  await send('Later', 'REQUEST', ['SEQUENCE:2', 'RRULE:FREQ=WEEKLY', ...times(1, 11)]);
  expect(await invitationOf('Moved')).toMatchObject({
    start: '2026-12-08T14:00:00.000Z',
    status: 'confirmed',
  });
  await send('Over', 'CANCEL', ['SEQUENCE:0']);
  expect((await invitationOf('Moved')).status).toBe('cancelled');
});

test('a forwarded invitation is answered in the name of the mailbox', async () => {
  const box = await world.freshMailbox({ name: 'Bob' });
  await world.write(box.address, invite('REQUEST', 0, { more: 'z' }));
  const message = await messageOf(box, 'REQUEST 0z');
  await world.team.call('POST', `/messages/${message.id}/invitation`, { answer: 'declined' });
  await expect.poll(async () => (await messageOf(box, 'REQUEST 0z')).invitation.answer).toBe('declined');
  await world.receive(box, { subject: 'Plain' });
  const plain = await messageOf(box, 'Plain');
  expect(plain.invitation).toBeNull();
  expect(
    (await world.team.call('POST', `/messages/${plain.id}/invitation`, { answer: 'accepted' })).status,
  ).toBe(400);
});

async function answersOfNavy() {
  const all = await sent('Tentative: Engine 0');
  return all.filter(({ raw }) => raw.includes('navy@harbour.test'));
}

test('an invitation to a further address is answered in its name', async () => {
  const box = await world.createMailbox('grace');
  await world.team.call('POST', `/mailboxes/${box.id}/addresses`, { address: 'navy@harbour.test' });
  const raw = invite('REQUEST', 0, { more: '-alias' }).replaceAll('mailto:ada@', 'mailto:NAVY@');
  await world.write('navy@harbour.test', raw);
  const message = await messageOf(box, 'REQUEST 0-alias');
  const path = `/messages/${message.id}/invitation`;
  expect((await world.team.call('POST', path, { answer: 'tentative' })).status).toBe(200);
  await expect.poll(answersOfNavy, { timeout: 20_000 }).toHaveLength(1);
  expect((await answersOfNavy())[0]!.raw).toMatch(/^From: navy@harbour\.test/im);
});

test('a list whose fields nobody has signed cannot be left', async () => {
  const box = await world.freshMailbox();
  await world.receive(box, { subject: 'News', more: 'List-Unsubscribe: <mailto:leave@list.test>' });
  const message = await messageOf(box, 'News');
  expect(message.unsubscribe).toBeNull();
  expect((await world.team.call('POST', `/messages/${message.id}/unsubscribe`)).status).toBe(400);
});

test('a list is left by email in the name of the address that it wrote to', async () => {
  const box = await world.freshMailbox();
  await world.receive(box, { subject: 'Signed news' });
  await world.server.db
    .updateTable('messages')
    .set({
      list_unsubscribe: JSON.stringify({
        oneClick: false,
        url: null,
        mailto: 'mailto:leave@list.test?subject=out',
      }),
    })
    .where('subject', '=', 'Signed news')
    .execute();
  const message = await messageOf(box, 'Signed news');
  expect(message.unsubscribe).toEqual({
    one_click: false,
    url: null,
    mailto: 'mailto:leave@list.test?subject=out',
  });
  expect((await world.team.call('POST', `/messages/${message.id}/unsubscribe`)).body).toEqual({
    method: 'mailto',
  });
  await expect
    .poll(async () => (await sent('out')).map(({ recipient }) => recipient), { timeout: 20_000 })
    .toEqual(['leave@list.test']);
});

test('strangers are said to be strangers, once', async () => {
  const box = await world.freshMailbox();
  const read = async (subject: string) => {
    const { first_contact, warnings } = await messageOf(box, subject);
    return [first_contact, warnings.map(({ kind }: { kind: string }) => kind)];
  };
  await world.receive(box, {
    subject: 'One',
    from: 'PayPal <help@paypa1.com>',
    more: 'Reply-To: x@elsewhere.test',
  });
  expect(await read('One')).toEqual([true, expect.arrayContaining(['look_alike', 'reply_to'])]);
  await world.receive(box, { subject: 'Two', from: 'PayPal <help@paypa1.com>' });
  expect(await read('Two')).toEqual([false, []]);
});

test('a stranger who joins a conversation is said to be new in it, once', async () => {
  const box = await world.freshMailbox();
  const id = '<joined.1@example.org>';
  const more = `References: ${id}`;
  await world.receive(box, { subject: 'Between us', id });
  await world.receive(box, { subject: 'Re: Between us', from: 'Eve <eve@stranger.test>', more });
  await world.receive(box, { subject: 'Re: Between us', from: 'Eve <eve@stranger.test>', more });
  const [thread] = await world.threads(box.id);
  const { messages } = (await world.team.call('GET', `/threads/${thread!.id}`)).body;
  const kinds = messages.map(({ warnings }: { warnings: { kind: string }[] }) =>
    warnings.some(({ kind }) => kind === 'new_in_thread'),
  );
  expect(kinds).toEqual([false, true, false]);
});

test('a person has names, conversations and notes, without mail of other teams', async () => {
  const box = await world.freshMailbox();
  await world.receive(box, { subject: 'From Grace', from: 'Grace Hopper <grace@navy.test>' });
  await world.team.call('POST', `/mailboxes/${box.id}/blocks`, { entry: 'grace@navy.test' });
  await world.team.call('PUT', '/people/grace@navy.test', { notes: 'Found the bug' });
  const { body } = await world.team.call('GET', '/people/Grace@navy.test');
  expect(body).toMatchObject({
    names: ['Grace Hopper'],
    notes: 'Found the bug',
    threads: [{ subject: 'From Grace', mailbox_id: box.id }],
    blocked: true,
    blocked_in: [box.id],
  });
  expect((await world.other.call('GET', '/people/grace@navy.test')).body).toMatchObject({
    names: [],
    notes: '',
    threads: [],
  });
  expect((await world.team.call('GET', '/people/nobody')).status).toBe(400);
});
