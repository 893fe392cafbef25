import { expect, test } from 'vitest';
import type { CampaignRecipient } from '../campaigns/compile-campaign.ts';
import { PRIORITY } from '../sending/emails/priority.ts';
import type { ClaimedDelivery } from './claim.ts';
import {
  addClaimed,
  endCompiling,
  endReturn,
  holdCampaigns,
  isHeld,
  makeReady,
  NOTHING_CLAIMED,
  putBack,
  putBackAll,
  takeNext,
  type ClaimedState,
} from './claimed-state.ts';
import { NO_HELD_CAMPAIGNS, setCampaignStatus, replaceHeldCampaigns } from './held-campaigns.ts';

function claimedDelivery(
  emailId: string,
  campaignId: string | null = null,
  priority = PRIORITY.bulk,
): ClaimedDelivery {
  const sender = {
    teamId: 1,
    domainId: 1,
    recipientNo: 0,
    isLone: true,
    attempts: 0,
    firstTriedAt: null,
    envelope: null,
  };
  const to = { recipient: `${emailId}@example.org`, recipientDomain: 'example.org' };
  return { ...sender, ...to, emailId, campaignId, priority, raw: campaignId ? null : Buffer.from('x') };
}

const [a, b] = [claimedDelivery('a', 'c1'), claimedDelivery('b', 'c1')];
const single = claimedDelivery('single');
const urgent = claimedDelivery('urgent', null, PRIORITY.transactional);
const recipients = new Map(['a', 'b'].map((id) => [id, { contactId: id } as CampaignRecipient]));
const none = () => false;

function add(...deliveries: ClaimedDelivery[]): ClaimedState {
  return addClaimed(NOTHING_CLAIMED, deliveries, none);
}

function names(deliveries: Iterable<ClaimedDelivery>): string[] {
  return [...deliveries].map(({ emailId }) => emailId);
}

test('urgent mail that is claimed later overtakes deliveries that have not started', () => {
  const ready = makeReady(add(single), [single], new Map());
  const both = makeReady(addClaimed(ready, [urgent], none), [urgent], new Map());
  const [left, first] = takeNext(both, () => true);
  expect(first?.emailId).toBe('urgent');
  expect(names(left.ready)).toEqual(['single']);
});

test('takeNext returns the first delivery that may go, or null', () => {
  const ready = makeReady(add(single, urgent), [single, urgent], new Map());
  expect(takeNext(ready, ({ priority }) => priority === PRIORITY.bulk)[1]?.emailId).toBe('single');
  expect(takeNext(ready, none)).toEqual([ready, null]);
});

test('a campaign delivery without a recipient is not sent; a single email needs none', () => {
  const state = makeReady(add(a, b, single), [a, b, single], new Map([['a', recipients.get('a')!]]));
  expect(names(state.ready)).toEqual(['a', 'single']);
  expect(state.added).toEqual([]);
});

test('a delivery that is put back during its recipient lookup does not become ready', () => {
  const [state, back] = putBackAll(add(a, single));
  expect(names(back)).toEqual(['a', 'single']);
  const later = makeReady(state, [a, single], recipients);
  expect(later.ready).toEqual([]);
  expect(names(later.returning)).toEqual(['a', 'single']);
});

test('a delivery that is added during a lookup waits for its own lookup', () => {
  const state = addClaimed(add(a), [b], none);
  const ready = makeReady(state, [a], recipients);
  expect([names(ready.ready), names(ready.added)]).toEqual([['a'], ['b']]);
});

test('deliveries of a campaign that is being compiled are added when it is compiled, unless they were put back', () => {
  const state = addClaimed(NOTHING_CLAIMED, [a, single], (delivery) => delivery === a);
  expect([names(state.added), names(state.compiling)]).toEqual([['single'], ['a']]);
  expect(names(endCompiling(state, a).added)).toEqual(['single', 'a']);
  const [back] = putBackAll(state);
  expect(endCompiling(back, a)).toBe(back);
});

test('pausing a campaign returns its ready deliveries, and those that become ready later', () => {
  const held = setCampaignStatus(NO_HELD_CAMPAIGNS, 'c1', 'PAUSED');
  const state = holdCampaigns(
    addClaimed(makeReady(add(a, single), [a, single], recipients), [b], none),
    held,
  );
  expect([names(state.ready), names(state.returning)]).toEqual([['single'], ['a']]);
  expect(isHeld(state, b)).toBe(true);
  expect(names(makeReady(state, [b], recipients).returning)).toEqual(['a', 'b']);
});

test('a delivery that is put back while others are being returned is returned next', () => {
  const state = putBack(putBack(NOTHING_CLAIMED, a), b);
  expect(names(endReturn(state, 1).returning)).toEqual(['b']);
});

test('a list of held campaigns that is older than a notification is read again', () => {
  const paused = setCampaignStatus(NO_HELD_CAMPAIGNS, 'c1', 'PAUSED');
  expect(replaceHeldCampaigns(paused, NO_HELD_CAMPAIGNS, [])).toBeNull();
  expect([...replaceHeldCampaigns(paused, paused, ['c2'])!.ids]).toEqual(['c2']);
  expect([...setCampaignStatus(paused, 'c1', 'RUNNING').ids]).toEqual([]);
});
