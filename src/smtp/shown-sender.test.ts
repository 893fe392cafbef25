/** The displayed sender of a received message, and the caching of responses with messages. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

test.each([
  ['"ceo@bank.example,"x@attacker.example', 'ceo_bank.example_x@attacker.example'],
  ['"ceo@bank.example"@attacker.example', 'ceo_bank.example@attacker.example'],
  ['"ceo@bank.example" <x@attacker.example>', 'x@attacker.example'],
  ['"The bank <ceo@bank.example>" <x@attacker.example>', 'x@attacker.example'],
  ['x@attacker.example (ceo@bank.example)', 'x@attacker.example'],
  ['=?utf-8?q?ceo=EF=BC=A0bank.example?= <x@attacker.example>', 'x@attacker.example'],
  ['=?utf-8?q?ceo=40=E2=80=8Bbank.example?= <x@attacker.example>', 'x@attacker.example'],
  ['=?utf-8?q?The_=E2=80=AEknab?= <x@attacker.example>', 'The knab <x@attacker.example>'],
  ['"x@attacker.example" <x@attacker.example>', 'x@attacker.example'],
  ['"Sales @ Attacker" <x@attacker.example>', '"Sales @ Attacker" <x@attacker.example>'],
  ['=?utf-8?q?Mia_=F0=9F=91=A9=E2=80=8D=F0=9F=92=BB?= <x@attacker.example>', 'Mia 👩‍💻 <x@attacker.example>'],
])('From: %s is shown as %s', async (from, shown) => {
  const mailbox = await world.freshMailbox();
  await world.receive(mailbox, { from });
  const [thread = (await world.threads(mailbox.id, '?folder=spam'))[0]] = await world.threads(mailbox.id);
  expect(thread!.participants[0]).toBe(shown);
  expect((await world.thread(thread!.id)).messages[0]!.from).toBe(shown);
});

test('mail without a From field shows no sender, as in email apps, and goes to spam', async () => {
  const mailbox = await world.freshMailbox();
  const { data } = await world.write(mailbox.address, 'Subject: No From\n\nx', 'x@attacker.example');
  expect(data).toMatch(/^250/);
  const [thread] = await world.threads(mailbox.id, '?folder=spam');
  expect((await world.thread(thread!.id)).messages[0]).toMatchObject({ from: '', subject: 'No From' });
});

test('responses with messages are not cacheable by others', async () => {
  const mailbox = await world.freshMailbox();
  const more = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b';
  const text =
    '--b\n\nHello\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\nx\n--b--';
  await world.write(mailbox.address, rawMail({ more, text }));
  const [thread] = await world.threads(mailbox.id);
  const [message] = (await world.thread(thread!.id)).messages;
  const book = (await world.team.call('POST', '/contactBooks', { name: 'Book' })).body.id;
  for (const path of [
    `/messages/${message!.id}/attachments/${message!.attachments[0]!.n}`,
    `/messages/${message!.id}/raw`,
    `/messages/${message!.id}`,
    `/contactBooks/${book}/export`,
    '/sandbox/messages',
  ]) {
    const { status, headers } = await world.team.call('GET', path);
    expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'private, no-store']);
  }
});
