import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';
import { addPerson, setUpOwner } from '../../../testing/people.ts';

let world: MailWorld;

beforeAll(async () => {
  world = await startMailWorld();
});
afterAll(() => world.close());

test('the message stays in the inbox when its folder is gone, and the rule is switched off with a reason', async () => {
  const box = await world.freshMailbox();
  const { body: folder } = await world.team.call('POST', `/mailboxes/${box.id}/folders`, { name: 'Gone' });
  const rule = await world.addRule(box, { actions: [{ type: 'move', value: folder.id }] });
  await world.team.call('DELETE', `/mailboxes/${box.id}/folders/${folder.id}`);
  const { body } = await world.team.call('GET', `/mailboxes/${box.id}/rules/${rule.id}`);
  expect(body).toMatchObject({ enabled: false, disabled_reason: expect.stringContaining('folder') });
  await world.receive(box, { subject: 'kept' });
  expect(await world.threads(box.id, '?folder=inbox')).toHaveLength(1);
  const notices = async (who = world.team) =>
    (await who.call('GET', '/notices')).body.items.filter(({ id }: { id: string }) => id === box.id);
  expect(await notices()).toMatchObject([
    { kind: 'rule', message: expect.stringContaining(`“${rule.name}” of ${box.address}`) },
  ]);
  expect(await notices(world.other)).toEqual([]);
  // Whoever switches it off has seen the reason.
  const update = { enabled: false };
  const changed = await world.team.call('PATCH', `/mailboxes/${box.id}/rules/${rule.id}`, update);
  expect(changed.body).toMatchObject({ enabled: false, disabled_reason: null });
  expect(await notices()).toEqual([]);
});

test('a rule is switched off when its label is deleted, and those of other labels stay', async () => {
  const box = await world.freshMailbox();
  const path = `/mailboxes/${box.id}/labels`;
  const { body: label } = await world.team.call('POST', path, { name: 'Short-lived' });
  const rule = await world.addRule(box, { actions: [{ type: 'star' }, { type: 'label', value: label.id }] });
  const other = await world.addRule(box, { actions: [{ type: 'label', value: 'other' }] });
  await world.team.call('DELETE', `${path}/${label.id}`);
  const read = async (id: string) => (await world.team.call('GET', `/mailboxes/${box.id}/rules/${id}`)).body;
  expect(await read(rule.id)).toMatchObject({
    enabled: false,
    disabled_reason: 'The label that it sets is gone.',
  });
  expect(await read(other.id)).toMatchObject({ enabled: true });
  await world.receive(box, { subject: 'not labelled' });
  const [thread] = await world.threads(box.id);
  expect((await world.thread(thread!.id)).messages).toMatchObject([{ labels: ['other'] }]);
});

async function createSegment() {
  const { body: book } = await world.team.call('POST', '/contactBooks', { name: 'Guests' });
  const input = { name: 'All', contactBookId: book.id, filter: { all: [] } };
  return { book, segment: (await world.team.call('POST', '/segments', input)).body };
}

describe('a rule is switched off before the next message', () => {
  const STAR = [{ type: 'star' }];
  const unlessIn = (segment: { id: string }) => ({
    conditions: [{ field: 'segment', op: 'is_not', value: segment.id }],
    actions: STAR,
  });

  /** Returns a rule, and the path of what it names. */
  const cases: Record<
    string,
    (box: { id: string }) => Promise<{ rule: object; gone: string; reason: string }>
  > = {
    async 'that moves to a folder inside a deleted one'(box) {
      const path = `/mailboxes/${box.id}/folders`;
      const { body: outer } = await world.team.call('POST', path, { name: 'Deals' });
      const { body: inner } = await world.team.call('POST', path, { name: 'Deals/Won' });
      const rule = { actions: [{ type: 'move', value: inner.id }] };
      return { rule, gone: `${path}/${outer.id}`, reason: 'folder' };
    },
    async 'whose saved reply is deleted'(box) {
      const path = `/mailboxes/${box.id}/saved-replies`;
      const { body: reply } = await world.team.call('POST', path, { name: 'Thanks', html: 'Thanks' });
      const rule = { actions: [{ type: 'draft', saved_reply_id: reply.id }] };
      return { rule, gone: `${path}/${reply.id}`, reason: 'saved reply' };
    },
    async 'that forwards to a deleted mailbox'() {
      const target = await world.freshMailbox();
      const rule = { actions: [{ type: 'forward', to: target.address.toUpperCase() }] };
      return { rule, gone: `/mailboxes/${target.id}`, reason: 'mailbox' };
    },
    async 'that forwards to a removed address'() {
      const target = await world.freshMailbox();
      const path = `/mailboxes/${target.id}/addresses`;
      const { body } = await world.team.call('POST', path, { address: `more.${target.address}` });
      const rule = { actions: [{ type: 'forward', to: body.address }] };
      return { rule, gone: `${path}/${body.id}`, reason: 'mailbox' };
    },
    async 'that asks for a deleted segment'() {
      const { segment } = await createSegment();
      return { rule: unlessIn(segment), gone: `/segments/${segment.id}`, reason: 'segment' };
    },
    async 'that asks for a segment of a deleted contact book'() {
      const { book, segment } = await createSegment();
      return { rule: unlessIn(segment), gone: `/contactBooks/${book.id}`, reason: 'segment' };
    },
  };

  test.each(Object.keys(cases))('%s', async (name) => {
    const box = await world.freshMailbox();
    const { rule: input, gone, reason } = await cases[name]!(box);
    const rule = await world.addRule(box, input);
    const other = await world.addRule(box, { actions: [{ type: 'read' }] });
    const { status } = await world.team.call('DELETE', gone);
    expect(status).toBe(200);
    const read = async (id: string) =>
      (await world.team.call('GET', `/mailboxes/${box.id}/rules/${id}`)).body;
    expect(await read(rule.id)).toMatchObject({
      enabled: false,
      disabled_reason: expect.stringContaining(reason),
    });
    expect(await read(other.id)).toMatchObject({ enabled: true, disabled_reason: null });
    await world.receive(box, { subject: 'Not touched' });
    expect(await world.threads(box.id, '?folder=inbox')).toMatchObject([{ starred: false, unread: false }]);
  });
});

describe('a rule that assigns is switched off', () => {
  test('when its person loses access or leaves the team, and those of other people stay', async () => {
    const owner = await setUpOwner(world.server);
    const { body: domain } = await owner.call('POST', '/domains', { name: 'leavers.test' });
    await owner.call('PUT', `/domains/${domain.id}/verify`);
    const { body: box } = await owner.call('POST', '/mailboxes', { address: 'desk@leavers.test' });
    const people = [
      await addPerson(world.server, owner, 'member'),
      await addPerson(world.server, owner, 'member'),
    ];
    const path = `/mailboxes/${box.id}/rules`;
    for (const { id } of [...people, owner])
      await owner.call('POST', path, { name: id, actions: [{ type: 'assign', user_id: id }] });
    const enabled = async () =>
      (await owner.call('GET', path)).body.items
        .filter((rule: { enabled: boolean }) => rule.enabled)
        .map((rule: { name: string }) => rule.name);
    const leaves = people[1]!;
    const stay = [
      { user_id: owner.id, role: 'manage' },
      { user_id: leaves.id, role: 'read' },
    ];
    await owner.call('PUT', `/mailboxes/${box.id}/access`, { mode: 'listed', people: stay });
    expect(await enabled()).toEqual([leaves.id, owner.id]);
    expect((await owner.call('DELETE', `/members/${leaves.id}`)).status).toBe(200);
    expect(await enabled()).toEqual([owner.id]);
  });
});
