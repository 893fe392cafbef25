/** Sends hostile mail to a mailbox and reads it through every operation that returns messages. */
import type { Findings } from '../findings.ts';
import { createCheck } from '../http/check-answer.ts';
import { readOperations } from '../http/operations.ts';
import { send, toExchange } from '../http/send.ts';
import { createRandom, shuffle } from '../random.ts';
import { writeTo } from '../smtp/client.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import { readDocument } from '../http/document.ts';
import { makeCorpus, type HostileMail } from './corpus.ts';

export interface MailPlan {
  seed: string;
  /** 1 for a full run; smaller for shorter mail. */
  size: number;
  endsAtMs: number;
}

const AT_ONCE = 6;
const READ_ATTACHMENTS = 3;

interface ShownMessage {
  id: string;
  attachments: { n: number }[];
}

export async function fuzzMail(
  target: Target,
  world: World,
  findings: Findings,
  plan: MailPlan,
): Promise<{ mails: number; planned: number; accepted: number }> {
  const document = await readDocument(target);
  const operations = new Map(readOperations(document).map((operation) => [operation.id, operation]));
  const check = createCheck(document);
  let mails = 0;
  let accepted = 0;

  /** Reads an operation and checks the response against its schema. Null if there is nothing to read. */
  async function read<Answer>(operationId: string, path: string, after: string): Promise<Answer | null> {
    const operation = operations.get(operationId)!;
    const headers = { authorization: `Bearer ${world.keys.full}` };
    const request = {
      name: `GET ${path} after ${after}`,
      group: operationId,
      method: 'GET',
      path,
      headers,
      body: null,
    };
    const answer = await send(target, request);
    if (!answer) return null;
    for (const { fault, detail } of check(operation, answer))
      findings.add(fault, detail, [toExchange(target, request)]);
    if (answer.status !== 200 || !answer.contentType.startsWith('application/json')) return null;
    return JSON.parse(answer.body.toString()) as Answer;
  }

  async function readAll(mailbox: string, after: string): Promise<void> {
    const list = await read<{ items: { id: string }[] }>(
      'listThreads',
      `/v1/mailboxes/${mailbox}/threads?limit=3`,
      after,
    );
    const newest = list?.items[0];
    if (!newest) return;
    const thread = await read<{ messages: ShownMessage[] }>('getThread', `/v1/threads/${newest.id}`, after);
    const message = thread?.messages.at(-1);
    if (!message) return;
    await read('getMessage', `/v1/messages/${message.id}`, after);
    await read('displayMessage', `/v1/messages/${message.id}/display?images=true`, after);
    await read('getRawMessage', `/v1/messages/${message.id}/raw`, after);
    for (const { n } of message.attachments.slice(0, READ_ATTACHMENTS))
      await read('getAttachment', `/v1/messages/${message.id}/attachments/${n}`, after);
  }

  async function bring(mail: HostileMail, address: string, mailbox: string): Promise<void> {
    mails += 1;
    const code = await writeTo(target, 'inbound', { name: mail.name, to: [address], raw: mail.make() });
    if (code === '250') accepted += 1;
    await readAll(mailbox, mail.name);
  }

  const random = createRandom(`${plan.seed} mail`);
  const corpus = shuffle(makeCorpus(random, plan.size), random);
  const waiting = corpus.values();
  // Each worker has a mailbox of its own, so that the newest thread is the one it just sent.
  const workers = Array.from({ length: AT_ONCE }, async (_, index) => {
    const address = `hostile${index}@${world.mailboxAddress.split('@')[1]}`;
    const { id } = await world.call('POST', '/mailboxes', { address });
    for (const mail of waiting) {
      if (Date.now() > plan.endsAtMs) return;
      await bring(mail, address, String(id));
    }
  });
  await Promise.all(workers);
  return { mails, planned: corpus.length, accepted };
}
