/** Tests that the webhook views of django-anymail accept and understand our webhooks in the formats of vendors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createVendorTeam,
  METADATA,
  TAG,
  VENDORS,
  type Vendor,
} from '../../testing/fixtures/vendor-webhooks.ts';
import {
  hasAnymail,
  startAnymailReceiver,
  type AnymailReceiver,
} from '../../testing/servers/anymail-receiver.ts';
import { startRecordingProxy, type RecordingProxy } from '../../testing/servers/recording-proxy.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

/** The worker may be slow on a busy computer. */
const PATIENT = { timeout: 30_000 };
const CREDENTIALS = 'posthorn:pass word';

let server: TestServer;
let anymail: AnymailReceiver;
let proxy: RecordingProxy;

const REPORTED = [
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.opened',
  'email.clicked',
  'email.suppressed',
];
/** What Anymail calls the events of each address, sorted. A click also counts as an open. */
const TRACKED: Record<string, string[]> = {
  'grace@example.com': ['delivered'],
  'bounce@simulator.test': ['bounced'],
  'complaint@simulator.test': ['complained', 'delivered'],
  'delay@simulator.test': ['deferred', 'delivered'],
  'open@simulator.test': ['delivered', 'opened'],
  'click@simulator.test': ['clicked', 'delivered', 'opened'],
};
const SUPPRESSED: Record<Vendor, string[]> = {
  mailgun: ['bounced'],
  postmark: ['rejected'],
  sendgrid: ['rejected'],
  // Anymail does not know email.suppressed.
  resend: ['unknown'],
};

describe.skipIf(!hasAnymail)('django-anymail, which is skipped where Python does not have it,', () => {
  beforeAll(async () => {
    // Anymail follows the links in Resend's API, so there must be a server where they point.
    proxy = await startRecordingProxy(() => server.url);
    server = await startTestServer({
      doors: ['http', 'worker'],
      env: { WEBHOOK_ALLOW_PRIVATE: 'true', BASE_URL: proxy.url },
    });
    anymail = await startAnymailReceiver();
  });
  afterAll(async () => {
    await anymail.close();
    await server.close();
    proxy.close();
  });

  test.each(VENDORS)('accepts the webhooks of %s and yields the right events', async (vendor) => {
    anymail.events.length = 0;
    const from = await createVendorTeam(server, vendor);
    const at = (kind: string) =>
      `${anymail.url.replace('//', '//posthorn:pass%20word@')}/anymail/${vendor}/${kind}/`;
    const tracking = await from.addHook(at('tracking'), [...REPORTED, 'contact.unsubscribed']);
    const inbound = await from.addHook(at('inbound'), ['mailbox.message.received']);
    // Mailgun has one key for an account, so its second webhook is tried with the other key below.
    await anymail.set({
      WEBHOOK_SECRET: CREDENTIALS,
      MAILGUN_WEBHOOK_SIGNING_KEY: tracking.secret,
      SENDGRID_TRACKING_WEBHOOK_VERIFICATION_KEY: tracking.publicKey,
      RESEND_SIGNING_SECRET: tracking.secret,
      RESEND_INBOUND_SECRET: inbound.secret,
      RESEND_API_KEY: from.team.key,
      RESEND_API_URL: `${server.url}/resend/`,
    });
    await from.sendAll();
    const expected = { ...TRACKED, 'suppressed@example.com': SUPPRESSED[vendor] };
    const eventsOf = (recipient: string) => anymail.events.filter((event) => event.recipient === recipient);
    const typesOf = (recipient: string) => eventsOf(recipient).map(({ type }) => type);
    const tracked = () =>
      Object.fromEntries(
        Object.keys(expected).map((recipient) => [recipient, typesOf(recipient).toSorted()]),
      );
    await expect.poll(tracked, PATIENT).toEqual(expected);
    const events = [...anymail.events];
    for (const event of events) {
      expect(event).toMatchObject({ tags: [TAG], metadata: METADATA });
      const id = from.ids.get(event.recipient as string)!;
      // SendGrid's ID is in the event itself. Anymail reads the Message-ID, which begins with it.
      if (vendor === 'sendgrid') expect(event.messageId).toMatch(/^<.+@v\d+\.test>$/);
      else expect(event.messageId).toBe(id);
    }
    expect(events.find(({ type }) => type === 'clicked')).toMatchObject({
      clickUrl: 'https://shop.example/sale',
    });

    if (vendor !== 'resend') {
      await from.unsubscribe('left@example.com');
      await expect.poll(() => typesOf('left@example.com'), PATIENT).toEqual(['unsubscribed']);
    }

    await anymail.set({
      WEBHOOK_SECRET: CREDENTIALS,
      MAILGUN_WEBHOOK_SIGNING_KEY: inbound.secret,
      RESEND_INBOUND_SECRET: inbound.secret,
      RESEND_API_KEY: from.team.key,
      RESEND_API_URL: `${server.url}/resend/`,
    });
    await from.sendInbound();
    const received = () => anymail.events.find(({ type }) => type === 'inbound');
    await expect.poll(received, PATIENT).toMatchObject({
      type: 'inbound',
      from: `Zoë <zoe@${from.domain}>`,
      to: [`Desk <${from.mailbox}>`],
      subject: 'Grüße',
      text: expect.stringContaining('A question'),
      html: expect.stringContaining('<p>A question</p>'),
      header: '7',
      attachments: [['a.txt', 'file']],
      ...(vendor === 'resend' ? {} : { envelopeRecipient: from.mailbox }),
    });
  });

  test('rejects requests with the wrong signature or without the password', async () => {
    anymail.events.length = 0;
    for (const vendor of VENDORS) {
      const from = await createVendorTeam(server, vendor);
      const url = `${anymail.url}/anymail/${vendor}/tracking/`;
      const { id } = await from.addHook(url, ['email.delivered']);
      await anymail.set({
        WEBHOOK_SECRET: vendor === 'postmark' ? CREDENTIALS : null,
        MAILGUN_WEBHOOK_SIGNING_KEY: 'another',
        RESEND_SIGNING_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        SENDGRID_TRACKING_WEBHOOK_VERIFICATION_KEY:
          'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6VTXD1lGHdUHmEIWEIXTQzKhpaBLAZTf4vCqNRlWzyBjc7r0zEQ+f2zXEpg7vDRVmKXYpFsZvF5BhxZ8ODnLdA==',
      });
      await from.team.call('POST', `/webhooks/${id}/test`);
      const lastOf = async () =>
        (await from.team.call('GET', `/webhooks/${id}/calls`)).body.items[0].lastAttempt?.statusCode;
      await expect.poll(lastOf).toBeGreaterThanOrEqual(400);
    }
    expect(anymail.events).toEqual([]);
  });
});
