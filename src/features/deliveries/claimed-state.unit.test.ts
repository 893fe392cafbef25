import { expect, test } from 'vitest';
import type { LetterRecipient } from '../campaigns/compile-campaign.ts';
import { PRIORITY } from '../emails/priority.ts';
import type { Parcel } from './claim.ts';
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
import { NO_HELD_CAMPAIGNS, noteCampaign, takeReadList } from './held-campaigns.ts';

function claimedDelivery(
  emailId: string,
  campaignId: string | null = null,
  priority = PRIORITY.bulk,
): Parcel {
  const sender = { teamId: 1, domainId: 1, recipientNo: 0, isLone: true, attempts: 0, firstTriedAt: null };
  const to = { recipient: `${emailId}@example.org`, recipientDomain: 'example.org' };
  return { ...sender, ...to, emailId, campaignId, priority, raw: campaignId ? null : Buffer.from('x') };
}

const [a, b] = [claimedDelivery('a', 'c1'), claimedDelivery('b', 'c1')];
const single = claimedDelivery('single');
const urgent = claimedDelivery('urgent', null, PRIORITY.transactional);
const recipients = new Map(['a', 'b'].map((id) => [id, { contactId: id } as LetterRecipient]));
const none = () => false;

function add(...parcels: Parcel[]): ClaimedState {
  return addClaimed(NOTHING_CLAIMED, parcels, none);
}

function names(parcels: Iterable<Parcel>): string[] {
  return [...parcels].map(({ emailId }) => emailId);
}

test('urgent mail that is claimed later passes what has not begun', () => {
  const ready = makeReady(add(single), [single], new Map());
  const both = makeReady(addClaimed(ready, [urgent], none), [urgent], new Map());
  const [left, first] = takeNext(both, () => true);
  expect(first?.emailId).toBe('urgent');
  expect(names(left.ready)).toEqual(['single']);
});

test('the first that may go is taken, and none where none may', () => {
  const ready = makeReady(add(single, urgent), [single, urgent], new Map());
  expect(takeNext(ready, ({ priority }) => priority === PRIORITY.bulk)[1]?.emailId).toBe('single');
  expect(takeNext(ready, none)).toEqual([ready, null]);
});

test('a campaign delivery without a recipient is not sent; one of a single email needs none', () => {
  const state = makeReady(add(a, b, single), [a, b, single], new Map([['a', recipients.get('a')!]]));
  expect(names(state.ready)).toEqual(['a', 'single']);
  expect(state.added).toEqual([]);
});

test('what was put back while its recipient was looked up does not become ready', () => {
  const [state, back] = putBackAll(add(a, single));
  expect(names(back)).toEqual(['a', 'single']);
  const later = makeReady(state, [a, single], recipients);
  expect(later.ready).toEqual([]);
  expect(names(later.returning)).toEqual(['a', 'single']);
});

test('what was added while others were looked up waits for its own lookup', () => {
  const state = addClaimed(add(a), [b], none);
  const ready = makeReady(state, [a], recipients);
  expect([names(ready.ready), names(ready.added)]).toEqual([['a'], ['b']]);
});

test('deliveries of a campaign that is being compiled join when it is done, unless they were put back', () => {
  const state = addClaimed(NOTHING_CLAIMED, [a, single], (parcel) => parcel === a);
  expect([names(state.added), names(state.compiling)]).toEqual([['single'], ['a']]);
  expect(names(endCompiling(state, a).added)).toEqual(['single', 'a']);
  const [back] = putBackAll(state);
  expect(endCompiling(back, a)).toBe(back);
});

test('a paused campaign returns what is ready of it, and what becomes ready later', () => {
  const held = noteCampaign(NO_HELD_CAMPAIGNS, 'c1', 'PAUSED');
  const state = holdCampaigns(
    addClaimed(makeReady(add(a, single), [a, single], recipients), [b], none),
    held,
  );
  expect([names(state.ready), names(state.returning)]).toEqual([['single'], ['a']]);
  expect(isHeld(state, b)).toBe(true);
  expect(names(makeReady(state, [b], recipients).returning)).toEqual(['a', 'b']);
});

test('what is put back while others are on their way back to the queue stays to be returned', () => {
  const state = putBack(putBack(NOTHING_CLAIMED, a), b);
  expect(names(endReturn(state, 1).returning)).toEqual(['b']);
});

test('a list of held campaigns that is older than a notification is read again', () => {
  const paused = noteCampaign(NO_HELD_CAMPAIGNS, 'c1', 'PAUSED');
  expect(takeReadList(paused, NO_HELD_CAMPAIGNS, [])).toBeNull();
  expect([...takeReadList(paused, paused, ['c2'])!.ids]).toEqual(['c2']);
  expect([...noteCampaign(paused, 'c1', 'RUNNING').ids]).toEqual([]);
});
