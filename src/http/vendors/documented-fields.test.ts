/**
 * Tests that every field that the vendors document for sending an email is either honoured or rejected with the
 * vendor's error. The tests of each door cover the effect of the fields.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSendingTeam, type SendingTeam } from '../../testing/fixtures/sending-team.ts';
import { shareTestServer, type TestServer } from '../../testing/test-server.ts';
import {
  sendVendorRequest,
  vendorRequests,
  type VendorRequest,
} from '../../testing/clients/vendor-requests.ts';

let server: TestServer;
let team: SendingTeam;
let requests: Record<string, VendorRequest>;

beforeAll(async () => {
  server = await shareTestServer();
  team = await createSendingTeam(server, 'df');
  requests = vendorRequests(team.key, team.domain);
});
afterAll(() => server.close());

const soon = () => new Date(Date.now() + 3_600_000);
const file = { content: 'aGk=', filename: 'a.txt' };
const person = { email: 'alan@example.com', name: 'Alan' };

interface Fields {
  honoured: Record<string, unknown>;
  refused: Record<string, unknown>;
}

const FIELDS: Record<string, () => Fields> = {
  resend: () => ({
    honoured: {
      bcc: 'b@example.com',
      cc: ['c@example.com'],
      reply_to: ['r@example.com'],
      html: '<p>Hi</p>',
      headers: { 'X-Note': 'x' },
      tags: [{ name: 'kind', value: 'order' }],
      scheduled_at: 'in 1 hour',
      attachments: [{ ...file, content_type: 'text/plain', content_id: 'a' }],
    },
    refused: {
      topic_id: 'top_x',
      template: { id: 'order' },
      react: {},
      region: 'eu-west-1',
      scheduledAt: 'in 1 hour',
      replyTo: 'r@example.com',
    },
  }),
  mailgun: () => ({
    honoured: {
      cc: 'c@example.com',
      bcc: 'b@example.com',
      html: '<p>Hi</p>',
      'o:tag': 'order',
      'o:deliverytime': soon().toUTCString(),
      'o:testmode': 'yes',
      'o:tracking': 'no',
      'o:tracking-clicks': 'htmlonly',
      'o:tracking-opens': 'yes',
      'o:dkim': 'yes',
      'o:require-tls': 'no',
      'o:skip-verification': 'yes',
      'h:X-Note': 'x',
      'h:Reply-To': 'r@example.com',
      'v:order': '5',
      'recipient-variables': '{}',
      't:text': 'yes',
    },
    refused: {
      'amp-html': '<html></html>',
      attachment: 'x',
      inline: 'x',
      template: 'none',
      't:version': '2',
      'o:require-tls': 'yes',
      'o:sending-ip': '192.0.2.1',
      'o:sending-ip-pool': 'x',
      'o:tracking-pixel-location-top': 'yes',
      'o:deliverytime-optimize-period': '24h',
      'o:time-zone-localize': '09:00',
      'o:deliver-within': '1h',
      'o:archive-to': 'https://example.com/',
      'o:suppress-headers': 'x-note',
      'h:Message-Id': '<x@example.com>',
      'h:X-Mailgun-Drop-Message': 'yes',
      'o:other': 'x',
    },
  }),
  postmark: () => ({
    honoured: {
      Cc: 'c@example.com',
      Bcc: 'b@example.com',
      ReplyTo: 'r@example.com, s@example.com',
      HtmlBody: '<p>Hi</p>',
      Tag: 'An order',
      Headers: [{ Name: 'X-Note', Value: 'x' }],
      TrackOpens: true,
      TrackLinks: 'HtmlOnly',
      Metadata: { order: '5', items: 3 },
      Attachments: [{ Name: 'a.txt', Content: 'aGk=', ContentType: 'text/plain', ContentID: 'cid:a' }],
      MessageStream: 'broadcast',
    },
    refused: {
      TrackLinks: 'TextOnly',
      InlineCss: true,
      TemplateModel: {},
      Other: 'x',
    },
  }),
  sendgrid: () => ({
    honoured: {
      reply_to: person,
      reply_to_list: [person],
      attachments: [{ ...file, type: 'text/plain', disposition: 'inline', content_id: 'a' }],
      headers: { 'X-Note': 'x' },
      categories: ['An order'],
      custom_args: { order: '5' },
      send_at: Math.floor(soon().getTime() / 1000),
      batch_id: 'b1',
      mail_settings: { sandbox_mode: { enable: false }, footer: { enable: false } },
      tracking_settings: { click_tracking: { enable: true }, open_tracking: { enable: true } },
    },
    refused: {
      template_id: 'd-none',
      asm: { group_id: 1 },
      sections: { '-a-': 'x' },
      content: [{ type: 'text/x-amp-html', value: 'x' }],
      mail_settings: { footer: { enable: true, text: 'x' } },
      tracking_settings: { ganalytics: { enable: true } },
      other: 'x',
    },
  }),
};

test.each(Object.keys(FIELDS))(
  '%s: each field is honoured or refused, and none is dropped',
  async (vendor) => {
    const request = requests[vendor]!;
    const { honoured, refused } = FIELDS[vendor]!();
    for (const [name, value] of Object.entries(honoured)) {
      const { status, body } = await sendVendorRequest(server, request, { [name]: value });
      expect(status, `${name}: ${JSON.stringify(body)}`).toBeLessThan(300);
    }
    const before = await team.countEmails('Hello');
    for (const [name, value] of Object.entries(refused)) {
      const { status, body } = await sendVendorRequest(server, request, { [name]: value });
      expect(body, name).toEqual(request.error);
      expect([400, 404, 422], name).toContain(status);
    }
    expect(await team.countEmails('Hello')).toBe(before);
  },
);
