/** Forwarded mail, and automatic repliers that write to each other. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawMail, startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

type Box = { id: string; address: string };

async function replyByRule(box: Box): Promise<void> {
  const path = `/mailboxes/${box.id}/saved-replies`;
  const { body } = await world.team.call('POST', path, { name: 'Away', html: '<p>By a rule</p>' });
  await world.addRule(box, { actions: [{ type: 'reply', saved_reply_id: body.id }] });
}

async function replyByMailbox(box: Box): Promise<void> {
  const reply = { enabled: true, text: 'By the mailbox' };
  const { status } = await world.team.call('PATCH', `/mailboxes/${box.id}/automatic-reply`, reply);
  expect(status).toBe(200);
}

async function subjectsIn(box: Box): Promise<string[]> {
  const threads = await world.threads(box.id);
  const whole = await Promise.all(threads.map(({ id }) => world.thread(id)));
  return whole
    .flatMap(({ messages }) => messages)
    .filter(({ direction }) => direction === 'in')
    .map(({ subject }) => subject);
}

async function captured(subject: string): Promise<{ raw: string; mailFrom: string; recipient: string }[]> {
  const { body } = await world.team.call('GET', '/sandbox/messages?limit=100');
  return body.items.filter(({ raw }: { raw: string }) => raw.includes(`Subject: ${subject}`));
}

async function lastError(box: Box, rule: { id: string }): Promise<string> {
  const { body } = await world.team.call('GET', `/mailboxes/${box.id}/rules/${rule.id}`);
  return body.last_run?.error ?? '';
}

describe('forwarded mail', () => {
  test('keeps its author, and has a return path and a seal of the domain of the mailbox', async () => {
    const [box, target] = [await world.freshMailbox(), await world.freshMailbox()];
    await world.addRule(box, { actions: [{ type: 'forward', to: target.address }] });
    await world.receive(box, { subject: 'Forward this', from: 'Charles <charles@example.org>' });
    await expect.poll(() => subjectsIn(target), { timeout: 20_000 }).toEqual(['Forward this']);
    const [thread] = await world.threads(target.id);
    const { messages } = await world.thread(thread!.id);
    expect(messages[0]!.from).toBe('Charles <charles@example.org>');
    const { body: raw } = await world.team.call('GET', `/messages/${messages[0]!.id}/raw`);
    const domain = box.address.split('@')[1]!;
    expect(raw).toMatch(new RegExp(String.raw`ARC-Seal: [^]*d=${domain.replaceAll('.', String.raw`\.`)}`));
    expect(raw).toMatch(/ARC-Authentication-Results: i=1;/);
    const path = /Return-Path: <([^>]*)>/.exec(raw)?.[1] ?? '';
    expect(path).toContain(domain);
    expect(path).not.toContain('charles@example.org');
  });

  test('is not what fails DMARC, or what a rule has called spam', async () => {
    const [box, target] = [await world.freshMailbox(), await world.freshMailbox()];
    const forward = await world.addRule(box, {
      actions: [
        { type: 'forward', to: target.address },
        { type: 'move', value: 'inbox' },
      ],
    });
    world.dns.zone['_dmarc.bank.test'] = { TXT: ['v=DMARC1; p=none'] };
    await world.receive(box, { subject: 'Your account', from: 'Bank <help@bank.test>' });
    await expect.poll(() => lastError(box, forward), { timeout: 20_000 }).toContain('DMARC');
    const other = await world.freshMailbox();
    const second = await world.addRule(other, {
      actions: [{ type: 'spam' }, { type: 'forward', to: target.address }],
    });
    await world.receive(other, { subject: 'Cheap pills' });
    await expect.poll(() => lastError(other, second), { timeout: 20_000 }).toContain('Spam');
    expect(await subjectsIn(target)).toEqual([]);
  });
});

describe('two automatic repliers that write to each other stop after one reply', () => {
  test.each([
    ['a rule and a rule', replyByRule, replyByRule],
    ['a mailbox and a rule', replyByMailbox, replyByRule],
    ['a rule and a mailbox', replyByRule, replyByMailbox],
    ['a mailbox and a mailbox', replyByMailbox, replyByMailbox],
  ])('%s', async (what, mine, theirs) => {
    const [one, two] = [await world.freshMailbox(), await world.freshMailbox()];
    await mine(one);
    await theirs(two);
    const subject = `Circle of ${what}`;
    const sent = await world.team.call('POST', `/mailboxes/${one.id}/messages`, {
      to: [two.address],
      subject,
      text: 'Are you there?',
      undo_seconds: 0,
    });
    expect(sent.status).toBe(200);
    await expect.poll(() => subjectsIn(one), { timeout: 20_000 }).toHaveLength(1);
    // A person who writes to the second mailbox later shows that all earlier work is done.
    const person = rawMail({
      subject: `End of ${what}`,
      more: `Cc: ${two.address}`,
      from: 'P <p@example.org>',
    });
    expect((await world.write(two.address, person, 'p@example.org')).data).toMatch(/^250/);
    const answers = async () => [
      ...(await captured(`Auto: End of ${what}`)),
      ...(await captured(`Re: End of ${what}`)),
    ];
    await expect.poll(async () => (await answers()).length, { timeout: 20_000 }).toBe(1);
    expect(await subjectsIn(one)).toHaveLength(1);
    expect((await subjectsIn(two)).filter((each) => each.includes(subject))).toEqual([subject]);
  });
});
