import { number, plural } from './number.ts';

const deliveries = (count: number) =>
  plural(count, { one: '1 delivery', other: `${number(count)} deliveries` });

export const queueTexts = {
  waysOut: 'Outgoing routes',
  title: 'Queue',
  lead: 'Emails that are waiting to be sent or retried, one row for each recipient.',
  memberTitle: 'Only owners and admins can see the queue',
  memberText: 'Ask an owner or admin if an email does not arrive.',
  counts: (total: number, held: number) => `${deliveries(total)}${held > 0 ? `, ${number(held)} held` : ''}`,
  recipient: 'Recipient',
  state: 'State',
  states: { waiting: 'Waiting', sending: 'Sending', held: 'Held', paused: 'Campaign paused' },
  attempts: 'Attempts',
  lastError: 'Last reply',
  noAttempt: 'Not tried yet',
  nextAttempt: 'Next attempt',
  findDomain: 'Recipient’s domain',
  campaign: 'Campaign',
  allCampaigns: 'All emails',
  held: 'On hold',
  heldAny: 'All deliveries',
  heldOnly: 'Held',
  notHeld: 'Not held',
  actOnAll: 'Change all in this list',
  actOn: (recipient: string) => `Actions for ${recipient}`,
  actions: { retry: 'Try now', hold: 'Hold', release: 'Release', drop: 'Drop…' },
  done: {
    retry: (count: number) => `${deliveries(count)} will be tried now`,
    hold: (count: number) => `${deliveries(count)} held`,
    release: (count: number) => `${deliveries(count)} released`,
    drop: (count: number) => `${deliveries(count)} dropped`,
  },
  busy: (count: number) =>
    plural(count, {
      one: '1 delivery is being sent right now and was not changed',
      other: `${deliveries(count)} are being sent right now and were not changed`,
    }),
  dropAction: 'Drop',
  dropTitle: (recipient: string) => `Drop the delivery to ${recipient}?`,
  dropAllTitle: (count: number) => `Drop ${deliveries(count)}?`,
  dropText:
    'The email is not sent to these recipients, and its status becomes Failed. This cannot be undone. To stop it only for a while, hold it instead.',
  emptyTitle: 'The queue is empty',
  emptyText: 'No email is waiting. Emails appear here until they are delivered or have bounced.',
  filteredTitle: 'No matching deliveries',
  filteredText: 'Try another domain or campaign, or clear the filters.',
};
