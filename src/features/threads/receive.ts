/**
 * Mail that came for mailboxes: stored in each of them with its thread, in one transaction, so that whoever brought it
 * hears "accepted" only when all have it. The same message brought again is there already, and nothing happens.
 */
import { sql } from 'kysely';
import { cleanHtml } from '../../mail/clean-html.ts';
import type { ParsedMessage } from '../../mail/parse-message.ts';
import { referencedIds } from '../../mail/threading.ts';
import { sha256 } from '../../platform/crypto.ts';
import { inTransaction, type Db } from '../../platform/database.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import { cancelWaiting } from '../emails/cancel-waiting.ts';
import type { Destination } from '../mailboxes/find-mailbox.ts';
import { announce } from '../webhooks/announce.ts';
import { findThread } from './conversation.ts';
import { formatPerson, gatherPeople, joinPeople, keyOfPerson } from './people.ts';
import { storeMessage, toSubjectKey } from './store-message.ts';

export interface Incoming {
  destinations: Destination[];
  /** As it came. */
  raw: Buffer;
  /** Header fields that are put on top of it when it is kept. */
  trace: string;
  parsed: ParsedMessage;
  /** The sender of the envelope; empty for reports and other mail that nobody may answer. */
  mailFrom: string;
  authentication: { spf: string; dkim: string; dmarc: string; arc: string } | null;
  isSpam: boolean;
  /** What tells that it is the same again, where its bytes do not. */
  deliveryKey?: Buffer;
}

export async function receiveMessage(db: Db, incoming: Incoming): Promise<void> {
  const { parsed } = incoming;
  const from = parsed.from ? formatPerson(parsed.from) : incoming.mailFrom;
  const content = {
    from,
    to: parsed.to.map(formatPerson),
    cc: parsed.cc.map(formatPerson),
    replyTo: parsed.replyTo.map(formatPerson),
    html: parsed.html === null ? null : cleanHtml(parsed.html),
    references: referencedIds(parsed),
    subjectKey: toSubjectKey(parsed.subject),
    senderKey: keyOfPerson(from),
    raw: Buffer.concat([Buffer.from(incoming.trace), incoming.raw]),
    deliveryKey: incoming.deliveryKey ?? (parsed.messageId === null ? null : sha256(incoming.raw)),
  };
  const destinations = onceEach(incoming.destinations);
  await inTransaction(db, async (trx) => {
    for (const destination of destinations) await receiveInto(trx, destination, incoming, content);
  });
}

/** In one order, so that two messages to the same mailboxes do not block each other. */
function onceEach(destinations: Destination[]): Destination[] {
  const byMailbox = new Map(destinations.map((destination) => [destination.mailboxId, destination]));
  return [...byMailbox.values()].toSorted((a, b) => (a.mailboxId < b.mailboxId ? -1 : 1));
}

interface Content {
  from: string;
  to: string[];
  cc: string[];
  replyTo: string[];
  html: string | null;
  references: string[];
  subjectKey: string;
  senderKey: string;
  raw: Buffer;
  deliveryKey: Buffer | null;
}

async function receiveInto(
  trx: Db,
  { teamId, mailboxId, addressKey }: Destination,
  { parsed, isSpam, mailFrom, authentication }: Incoming,
  content: Content,
): Promise<void> {
  const { references, subjectKey, senderKey, deliveryKey } = content;
  const thread = await findThread(trx, {
    teamId,
    mailboxId,
    messageId: parsed.messageId,
    references,
    subjectKey,
    senderKey,
    deliveryKey,
    isSpam,
  });
  if (thread === 'known') return;
  const people = gatherPeople([content.from, ...content.to, ...content.cc], addressKey);
  const threadId = thread?.id ?? newUuid();
  const id = newUuid();
  await storeMessage(
    trx,
    {
      teamId,
      mailboxId,
      id,
      direction: 'in',
      emailId: null,
      cancelIfReplied: false,
      messageId: parsed.messageId,
      inReplyTo: parsed.inReplyTo,
      references,
      from: content.from,
      to: content.to,
      cc: content.cc,
      bcc: [],
      replyTo: content.replyTo,
      subject: parsed.subject,
      text: parsed.text,
      html: content.html,
      authentication,
      raw: content.raw,
      deliveryKey,
      files: parsed.attachments,
      createdAt: new Date(),
    },
    {
      id: threadId,
      folder: isSpam ? 'spam' : 'inbox',
      people: thread ? joinPeople(thread.people, people, addressKey) : people,
      isNews: true,
      event: 'message.received',
    },
  );
  await announce(trx, teamId, [
    {
      type: 'mailbox.message.received',
      data: {
        mailboxId: encodeId('mbx', mailboxId),
        messageId: encodeId('msg', id),
        threadId: encodeId('thr', threadId),
        from: content.from,
        to: content.to,
        subject: parsed.subject,
      },
    },
  ]);
  // A machine's word is no answer (RFC 3834), nor is our own.
  const isAnswer = !isSpam && !parsed.autoSubmitted && mailFrom !== '' && senderKey !== addressKey;
  if (thread && isAnswer) await takeBackAnswered(trx, teamId, threadId);
}

/** What was to leave only if nobody wrote first. */
async function takeBackAnswered(trx: Db, teamId: number, threadId: string): Promise<void> {
  const { rows } = await sql<{ email_id: string }>`
    select email_id from messages
    where team_id = ${teamId} and thread_id = ${threadId} and cancel_if_replied and email_id is not null
  `.execute(trx);
  if (rows.length > 0)
    await cancelWaiting(
      trx,
      teamId,
      rows.map((row) => row.email_id),
    );
}
