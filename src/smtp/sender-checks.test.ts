/** Sender checks (SPF, DKIM, DMARC) of received mail, and how mail that fails them is handled. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

async function onlyMessage(mailboxId: string, query = '') {
  const items = await world.threads(mailboxId, query);
  expect(items).toHaveLength(1);
  return (await world.thread(items[0]!.id)).messages.at(-1)!;
}

test('the results are added on top of the message, and forged results in our name are removed', async () => {
  const box = await world.freshMailbox();
  world.dns.zone['example.org'] = { TXT: ['v=spf1 ip4:127.0.0.1 -all'] };
  const forged = `Authentication-Results: ${world.server.config.mailHost}; dkim=pass header.d=bank.example`;
  await world.write(box.address, rawMail({ more: forged }));
  const message = await onlyMessage(box.id);
  expect(message.authentication).toMatchObject({ spf: 'pass', dkim: 'none' });
  const { body: raw } = await world.team.call('GET', `/messages/${message.id}/raw`);
  const results = raw.match(/^Authentication-Results: .*$/gm);
  expect(results).toHaveLength(1);
  expect(results[0]).toContain('spf=pass');
  expect(raw).not.toContain('bank.example');
});

test('mail that fails DMARC with the policy reject goes to spam and joins no thread', async () => {
  const box = await world.freshMailbox();
  world.dns.zone['_dmarc.bank.example'] = { TXT: ['v=DMARC1; p=reject'] };
  const from = 'Bank <info@bank.example>';
  await world.write(box.address, rawMail({ id: '<real@friend.example>', subject: 'Money' }));
  const forged = rawMail({ from, subject: 'Money', more: 'In-Reply-To: <real@friend.example>' });
  expect((await world.write(box.address, forged, 'info@bank.example')).data).toMatch(/^250/);
  const [inbox] = await world.threads(box.id);
  expect(inbox).toMatchObject({ folder: 'inbox', message_count: 1 });
  const message = await onlyMessage(box.id, '?folder=spam');
  expect(message).toMatchObject({ folder: 'spam', authentication: { dmarc: 'fail' } });
});

test.each([
  ['two From fields', `From: info@bank.example\nFrom: eve@example.org`],
  ['two authors', `From: info@bank.example, eve@example.org`],
  ['an address in an encoded word', `From: =?utf-8?B?${btoa('Bank <info@bank.example>')}?=`],
  ['a comment in the address', `From: Bank <info@bank.example(x)>`],
  ['a bracket too much', `From: info@bank.example>`],
  ['letters that only look other', `From: info@ｂank.example`],
  ['a letter that nobody sees', `From: info@bank.\u200bexample`],
  ['a header too large to check', `From: info@bank.example\n${'X-Pad: x\n'.repeat(2_100).trim()}`],
])('the check cannot be bypassed with %s', async (_, author) => {
  const box = await world.freshMailbox();
  world.dns.zone['_dmarc.bank.example'] = { TXT: ['v=DMARC1; p=reject'] };
  const forged = `${author}\nTo: ${box.address}\nSubject: Money\n\nHurry.`;
  expect((await world.write(box.address, forged)).data).toMatch(/^250/);
  const message = await onlyMessage(box.id, '?folder=spam');
  expect(message.from).toContain('info@');
});

test.each([
  ['behind another author', 'From: eve@example.org, info@bank.example'],
  ['in a second From field', 'From: eve@example.org\nFrom: info@bank.example'],
  [
    'behind many others',
    `From: ${Array.from({ length: 30 }, (_, no) => `a@n${no}.example`).join(', ')}, info@bank.example`,
  ],
])('the check cannot be bypassed with an author %s', async (_, authors) => {
  const box = await world.freshMailbox();
  world.dns.zone['_dmarc.bank.example'] = { TXT: ['v=DMARC1; p=reject'] };
  await world.write(box.address, `${authors}\nTo: ${box.address}\nSubject: Money\n\nHurry.`);
  const message = await onlyMessage(box.id, '?folder=spam');
  expect(message).toMatchObject({ authentication: { dmarc: 'fail' } });
});

test('the check cannot be bypassed with a message without a From field', async () => {
  const box = await world.freshMailbox();
  world.dns.zone['_dmarc.bank.example'] = { TXT: ['v=DMARC1; p=reject'] };
  await world.write(box.address, 'Subject: Money\n\nHurry.', 'info@bank.example');
  const message = await onlyMessage(box.id, '?folder=spam');
  expect(message).toMatchObject({ from: '', authentication: { dmarc: 'fail' } });
});

test('mail with several authors goes to spam even if their domains have no policy', async () => {
  const box = await world.freshMailbox();
  await world.receive(box, { from: 'a@one.example, b@two.example' });
  expect(await onlyMessage(box.id, '?folder=spam')).toMatchObject({ folder: 'spam', from: 'a@one.example' });
});

test('mail that fails DMARC is refused if the operator has configured it', async () => {
  const strict = await startMailWorld({ env: { DMARC_REJECT: 'refuse' } });
  try {
    const box = await strict.createMailbox('ada');
    strict.dns.zone['_dmarc.bank.example'] = { TXT: ['v=DMARC1; p=reject'] };
    const forged = rawMail({ from: 'info@bank.example' });
    expect((await strict.write(box.address, forged)).data).toMatch(/^550 5\.7\.26/);
    expect(await strict.threads(box.id, '?folder=spam')).toEqual([]);
  } finally {
    await strict.close();
  }
});
