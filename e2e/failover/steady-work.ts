/** Clients that keep working while the database changes, and record what was confirmed to them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClosingCall } from '../../src/testing/test-server.ts';
import { openDialogue } from '../../src/testing/smtp-dialogue.ts';

export interface SteadyWork {
  /** The accepted work: IDs of contacts, recipients of emails, Message-IDs of received mail. */
  contacts: string[];
  emails: string[];
  received: string[];
  /** The count of each unsuccessful response: `503 UNAVAILABLE`, `smtp 451`. */
  refusals: Map<string, number>;
  /** True once each kind of work has succeeded after this call. */
  worksAgain(): () => boolean;
  stop(): Promise<void>;
}

interface Places {
  urls: string[];
  smtpPorts: number[];
  key: string;
  bookId: string;
  mailbox: string;
}

const PAUSE_MS = 10;

export function startSteadyWork({ urls, smtpPorts, key, bookId, mailbox }: Places): SteadyWork {
  const contacts: string[] = [];
  const emails: string[] = [];
  const received: string[] = [];
  const refusals = new Map<string, number>();
  let stopped = false;

  function refuse(name: string): void {
    refusals.set(name, (refusals.get(name) ?? 0) + 1);
  }

  async function post(url: string, path: string, body: object): Promise<boolean> {
    try {
      const answer = await createClosingCall(url, key)('POST', path, body);
      if (answer.status === 200) return true;
      refuse(`${answer.status} ${answer.body?.error?.code ?? ''}`);
    } catch (error) {
      refuse(`http ${(error as Error).message}`);
    }
    return false;
  }

  async function addContact(url: string, name: string): Promise<void> {
    const email = `${name}@people.test`;
    if (await post(url, `/contactBooks/${bookId}/contacts`, { email })) contacts.push(email);
  }

  async function sendEmail(url: string, name: string): Promise<void> {
    const to = `${name}@letters.test`;
    const email = { from: 'hello@news.test', to, subject: name, text: 'Once.' };
    if (await post(url, '/emails', email)) emails.push(to);
  }

  async function receive(port: number, name: string): Promise<void> {
    const id = `<${name}@away.test>`;
    const reply = await deliver(port, mailbox, id).catch((error: Error) => `closed ${error.message}`);
    if (reply.startsWith('250')) received.push(id);
    else refuse(`smtp ${reply.slice(0, 3)}`);
  }

  async function keep(work: (name: string) => Promise<void>, prefix: string): Promise<void> {
    for (let at = 0; !stopped; at++) {
      await work(`${prefix}-${at}`);
      await sleep(PAUSE_MS);
    }
  }

  const running = [
    ...urls.flatMap((url, at) => [
      keep((name) => addContact(url, name), `contact-${at}`),
      keep((name) => sendEmail(url, name), `email-${at}`),
    ]),
    ...smtpPorts.map((port, at) => keep((name) => receive(port, name), `mail-${at}`)),
  ];
  return {
    contacts,
    emails,
    received,
    refusals,
    worksAgain() {
      const before = [contacts, emails, received].map((list) => list.length);
      return () => [contacts, emails, received].every((list, at) => list.length > before[at]! + urls.length);
    },
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** Returns the last reply of the server. */
async function deliver(port: number, mailbox: string, id: string): Promise<string> {
  const dialogue = await openDialogue(port);
  try {
    let reply = '';
    for (const line of ['EHLO mx.away.test', 'MAIL FROM:<far@away.test>', `RCPT TO:<${mailbox}>`, 'DATA']) {
      reply = await dialogue.say(line);
      if (!/^[23]/.test(reply)) return reply;
    }
    dialogue.write(
      `From: far@away.test\r\nTo: ${mailbox}\r\nMessage-ID: ${id}\r\nSubject: ${id}\r\n\r\nHi\r\n.\r\n`,
    );
    return await dialogue.hear();
  } finally {
    dialogue.drop();
  }
}
