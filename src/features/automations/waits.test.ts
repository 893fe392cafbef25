import { afterAll, beforeAll, test } from 'vitest';
import {
  activate,
  addBook,
  addContact,
  call,
  closeAutomationWorld,
  openAutomationWorld,
  untilRun,
  world,
} from '../../testing/fixtures/automation-world.ts';

beforeAll(openAutomationWorld);
afterAll(closeAutomationWorld);

test('the filter of a wait asks about the event that is waited for', async () => {
  const contactBookId = await addBook();
  const box = await world.freshMailbox();
  const steps = [
    {
      key: 'order',
      type: 'wait',
      event: 'mailbox.message.received',
      where: { all: [{ field: 'event.subject', op: 'contains', value: 'order' }] },
      timeout: '1 day',
      next: { received: 'paid', timeout: null },
    },
    {
      key: 'paid',
      type: 'wait',
      event: 'paid',
      where: { all: [{ field: 'event.total', op: 'greater', value: 10 }] },
      timeout: '1 day',
      next: { received: 'end', timeout: null },
    },
    { key: 'end', type: 'exit', reason: 'ordered' },
  ];
  const id = await activate({ contactBookId, trigger: { event: 'begin' }, steps });
  const { address } = await addContact(contactBookId);
  await call('POST', '/events', { name: 'begin', email: address, data: { subject: 'order', total: 11 } });
  await untilRun(id, { status: 'ACTIVE', step: 'order' });
  const write = (subject: string) =>
    world.write(
      box.address,
      [
        `From: ${address}`,
        `To: ${box.address}`,
        `Subject: ${subject}`,
        `Message-ID: <${subject}>`,
        '',
        'Hi',
      ].join('\r\n'),
      address,
    );
  const { dueAt } = await untilRun(id, { status: 'ACTIVE', step: 'order' });
  await write('greetings');
  await call('POST', '/events', { name: 'paid', email: address, data: { total: 5 } });
  // Once the run has been looked at because of the message, it waits on.
  await untilRun(id, { status: 'ACTIVE', step: 'order', dueAt });
  await write('an-order');
  await untilRun(id, { status: 'ACTIVE', step: 'paid' });
  await call('POST', '/events', { name: 'paid', email: address, data: { total: 12 } });
  await untilRun(id, { status: 'EXITED', reason: 'ordered' });
});
