/** A server and a team with mailboxes, and functions that send mail to them over raw SMTP. */
import { expect } from 'vitest';
import type { Door } from '../doors.ts';
import type { Log } from '../platform/log.ts';
import { startDnsServer, type DnsServer } from './dns-server.ts';
import { openDialogue } from './smtp-dialogue.ts';
import { startTestServer, type TestServer, type TestTeam } from './test-server.ts';
import type { Rule } from '../features/mailboxes/rules/rules.schema.ts';

export interface MailWorld {
  server: TestServer;
  dns: DnsServer;
  team: TestTeam;
  other: TestTeam;
  /** Creates a mailbox on `harbour.test`, a domain of the team. */
  createMailbox(local: string, input?: object): Promise<{ id: string; address: string }>;
  /** Creates a mailbox with a unique name. */
  freshMailbox(input?: object): Promise<{ id: string; address: string }>;
  messageCount(mailboxId: string): Promise<number>;
  /** Sends a message. Returns the replies to each RCPT and to the data. */
  write(
    to: string | string[],
    message: string,
    from?: string,
  ): Promise<{ rcpt: string[]; data: string | null }>;
  /** Sends a message that must be accepted. */
  receive(to: { address: string }, fields?: RawMailFields): Promise<void>;
  /** Adds a rule, which must be accepted. */
  addRule(box: { id: string }, rule: object): Promise<Rule>;
  threads(mailboxId: string, query?: string): Promise<ThreadItem[]>;
  folder(mailboxId: string, name: string): Promise<{ folder: string; unread: number; total: number }>;
  thread(threadId: string): Promise<ThreadItem & { messages: MessageItem[] }>;
  close(): Promise<void>;
}

interface ThreadItem {
  id: string;
  subject: string;
  folder: string;
  unread: boolean;
  message_count: number;
  participants: string[];
  snippet: string;
}

interface MessageItem {
  id: string;
  thread_id: string;
  direction: string;
  status: string;
  from: string;
  subject: string;
  text: string | null;
  html: string | null;
  body_omitted: boolean;
  read: boolean;
  starred: boolean;
  folder: string;
  authentication: Record<string, string> | null;
  attachments: { n: number; filename: string; size: number; content_id: string | null }[];
}

export async function startMailWorld(
  options: {
    doors?: Door[];
    env?: Record<string, string>;
    databaseUrl?: string;
    graceMs?: number;
    log?: Log;
  } = {},
): Promise<MailWorld> {
  const dns = await startDnsServer();
  const server = await startTestServer({
    doors: ['http', 'smtp', 'worker'],
    ...options,
    env: { DNS_SERVERS: dns.address, ...options.env },
  });
  const team = await server.createTeam();
  const other = await server.createTeam();
  const { body: domain } = await team.call('POST', '/domains', { name: 'harbour.test' });
  await team.call('PUT', `/domains/${domain.id}/verify`);

  let mailboxes = 0;

  async function createMailbox(local: string, input: object = {}) {
    const address = `${local}@harbour.test`;
    const { status, body } = await team.call('POST', '/mailboxes', { address, ...input });
    expect(status).toBe(200);
    return body;
  }

  async function threads(mailboxId: string, query = ''): Promise<ThreadItem[]> {
    const { status, body } = await team.call('GET', `/mailboxes/${mailboxId}/threads${query}`);
    expect(status).toBe(200);
    return body.items;
  }

  return {
    server,
    dns,
    team,
    other,
    createMailbox,
    freshMailbox: (input) => createMailbox(`box${(mailboxes += 1)}`, input),
    write: (to, message, from) => writeTo(server.smtpPort, to, message, from),
    async receive(to, fields) {
      expect((await writeTo(server.smtpPort, to.address, rawMail(fields))).data).toMatch(/^250/);
    },
    async addRule({ id }, rule) {
      const { status, body } = await team.call('POST', `/mailboxes/${id}/rules`, { name: 'Rule', ...rule });
      expect([status, body.error]).toEqual([200, undefined]);
      return body;
    },
    threads,
    async folder(mailboxId, name) {
      const { body } = await team.call('GET', `/mailboxes/${mailboxId}/folders`);
      const { folder, unread, total } = body.items.find((item: { folder: string }) => item.folder === name);
      return { folder, unread, total };
    },
    async messageCount(mailboxId) {
      return (await threads(mailboxId)).reduce((sum, thread) => sum + thread.message_count, 0);
    },
    async thread(threadId) {
      const { status, body } = await team.call('GET', `/threads/${threadId}`);
      expect(status).toBe(200);
      return body;
    },
    async close() {
      await server.close();
      await dns.close();
    },
  };
}

/** Sends a message to this SMTP port. */
export async function writeTo(
  port: number,
  to: string | string[],
  message: string,
  from = 'charles@example.org',
) {
  const dialogue = await openDialogue(port);
  await dialogue.say('EHLO mx.example.org');
  expect(await dialogue.say(`MAIL FROM:<${from}>`)).toMatch(/^250/);
  const rcpt: string[] = [];
  for (const address of [to].flat()) rcpt.push(await dialogue.say(`RCPT TO:<${address}>`));
  let data: string | null = null;
  if (rcpt.some((answer) => answer.startsWith('250'))) {
    expect(await dialogue.say('DATA')).toMatch(/^354/);
    dialogue.write(`${message.replaceAll(/\r?\n/g, '\r\n')}\r\n.\r\n`);
    data = await dialogue.hear();
  }
  dialogue.drop();
  return { rcpt, data };
}

let count = 0;

interface RawMailFields {
  subject?: string;
  from?: string;
  id?: string;
  text?: string;
  /** Additional header lines. */
  more?: string;
}

/** Returns a message with a unique Message-ID. */
export function rawMail(fields: RawMailFields = {}): string {
  const { subject = `Letter ${(count += 1)}`, from = 'Charles <charles@example.org>', more = '' } = fields;
  const id = fields.id ?? `<${(count += 1)}.${process.pid}@example.org>`;
  const head = `From: ${from}\nTo: ada@harbour.test\nSubject: ${subject}\nMessage-ID: ${id}\n`;
  return `${head}${more === '' ? '' : `${more}\n`}\n${fields.text ?? 'It turns.'}`;
}
