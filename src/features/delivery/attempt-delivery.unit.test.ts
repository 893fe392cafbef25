/** Tests which step ends an attempt, and with which result. The tools themselves are tested through the API. */
import { expect, test } from 'vitest';
import type { CampaignRecipient } from '../campaigns/compile-campaign.ts';
import { attemptDelivery, type AttemptTools } from './attempt-delivery.ts';
import type { AttemptResult } from './transports/attempt.ts';
import type { ReadyDelivery } from './claimed-state.ts';
import type { WireMessage } from './transports/transport.ts';

const DELIVERED: AttemptResult = { outcome: 'delivered', reply: null };

const SINGLE: ReadyDelivery = {
  teamId: 1,
  emailId: 'e',
  recipientNo: 0,
  recipient: 'ada@example.org',
  recipientDomain: 'example.org',
  domainId: 1,
  priority: 1,
  isLone: true,
  attempts: 0,
  firstTriedAt: null,
  raw: Buffer.from('Subject: x\r\n\r\nx'),
  campaignId: null,
  envelope: null,
  recipientOf: null,
};
const OF_CAMPAIGN: ReadyDelivery = {
  ...SINGLE,
  raw: null,
  campaignId: 'c',
  recipientOf: {} as CampaignRecipient,
};

/** Every tool succeeds unless `change` overrides it. `calls` lists the tools that were called. */
function attempt(
  delivery: ReadyDelivery,
  change: {
    isSuppressed?: boolean;
    rendered?: Buffer | null;
    hasDomain?: boolean;
    isHeld?: () => boolean;
    isClosing?: boolean;
    isOverRate?: boolean;
    sent?: (isWanted: () => boolean) => AttemptResult | null;
  } = {},
): { ending: ReturnType<typeof attemptDelivery>; calls: string[] } {
  const calls: string[] = [];
  const tools: AttemptTools = {
    async isSuppressed() {
      calls.push('isSuppressed');
      return change.isSuppressed ?? false;
    },
    renderer: {
      async render() {
        calls.push('render');
        return change.rendered === undefined ? Buffer.from('rendered') : change.rendered;
      },
      pause: async (_, reason) => void calls.push(`pause: ${reason}`),
      noteOutcome: async (_, outcome) => void calls.push(`report ${outcome}`),
    },
    signer: {
      async sign(_, raw) {
        calls.push('sign');
        return change.hasDomain === false ? null : ({ chunks: [raw] } as WireMessage);
      },
    },
    transport: {
      reserve: async () => !change.isOverRate,
      async attempt(_, isWanted) {
        calls.push('send');
        return (change.sent ?? (() => DELIVERED))(isWanted);
      },
    },
    isHeld: change.isHeld ?? (() => false),
    isClosing: () => change.isClosing ?? false,
    onReportFailed: (error) => calls.push(`failed: ${String(error)}`),
  };
  return { ending: attemptDelivery(tools, delivery), calls };
}

test('a first attempt of a single email is signed and sent', async () => {
  const { ending, calls } = attempt(SINGLE);
  expect(await ending).toEqual(DELIVERED);
  expect(calls).toEqual(['sign', 'send']);
});

test.each([
  ['a retry', 1],
  ['an email that was held back', 0],
])('%s to an address that was suppressed since is not sent', async (_, attempts) => {
  const { ending, calls } = attempt(
    { ...SINGLE, attempts, firstTriedAt: new Date() },
    { isSuppressed: true },
  );
  expect(await ending).toMatchObject({ outcome: 'suppressed' });
  expect(calls).toEqual(['isSuppressed']);
});

test('a message over the rate of its destination goes back to the queue without a signature', async () => {
  for (const delivery of [SINGLE, OF_CAMPAIGN]) {
    const { ending, calls } = attempt(delivery, { isOverRate: true });
    expect(await ending).toBe('put-back');
    expect(calls).toEqual([]);
  }
});

test('a campaign delivery is rendered, signed, sent and reported to its campaign', async () => {
  const { ending, calls } = attempt({ ...OF_CAMPAIGN, attempts: 1 });
  expect(await ending).toEqual(DELIVERED);
  expect(calls).toEqual(['render', 'sign', 'send', 'report delivered']);
});

test('a campaign delivery that cannot be rendered goes back to the queue', async () => {
  const { ending, calls } = attempt(OF_CAMPAIGN, { rendered: null });
  expect(await ending).toBe('put-back');
  expect(calls).toEqual(['render']);
});

test('a deleted domain bounces a single email, and pauses a campaign', async () => {
  const single = attempt(SINGLE, { hasDomain: false });
  expect(await single.ending).toMatchObject({ outcome: 'bounced', suppress: false });
  expect(single.calls).toEqual(['sign']);
  const campaign = attempt(OF_CAMPAIGN, { hasDomain: false });
  expect(await campaign.ending).toBe('put-back');
  expect(campaign.calls).toEqual(['render', 'sign', 'pause: The sending domain was deleted.']);
});

test('a campaign that was paused while its message was rendered sends nothing', async () => {
  const { ending, calls } = attempt(OF_CAMPAIGN, { isHeld: () => true });
  expect(await ending).toBe('put-back');
  expect(calls).toEqual(['render', 'sign']);
});

test('a delivery that waits for a connection is not sent once its campaign is paused or the worker closes', async () => {
  let isPaused = false;
  const sent = (isWanted: () => boolean): AttemptResult | null => {
    isPaused = true;
    return isWanted() ? DELIVERED : null;
  };
  const paused = attempt(OF_CAMPAIGN, { isHeld: () => isPaused, sent });
  expect(await paused.ending).toBe('put-back');
  const closing = attempt(SINGLE, { isClosing: true, sent });
  expect(await closing.ending).toBe('put-back');
});
