import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMailWorld, type MailWorld } from '../../../testing/mail-world.ts';

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
  await world.receive(box, { subject: 'kept' });
  expect(await world.threads(box.id, '?folder=inbox')).toHaveLength(1);
  const { body } = await world.team.call('GET', `/mailboxes/${box.id}/rules/${rule.id}`);
  expect(body).toMatchObject({ enabled: false, disabled_reason: expect.stringContaining('folder') });
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
