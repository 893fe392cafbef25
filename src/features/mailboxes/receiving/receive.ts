/**
 * Stores incoming mail in its mailboxes. One transaction stores a message in all of them, so that the sender gets
 * "accepted" only when every mailbox has it. A message that is delivered again is recognised and not stored twice.
 * Messages that arrive at the same time share statements and commit.
 */
import { readSnoozes, wakeThreads } from '../snoozing/wake-by-reply.ts';
import { cleanMailOffLoop } from '../../../mail/offload/clean-html.ts';
import { LARGE_BYTES } from '../../../mail/offload/parse-message.ts';
import { sentOf } from '../storage/sent-date.ts';
import type { ParsedMessage } from '../../../mail/mime/parse/parse-message.ts';
import { referencedIds } from '../../../mail/mime/threading.ts';
import { sha256 } from '../../../platform/crypto.ts';
import { inTransaction, statement, runTogether, type Db } from '../../../platform/database/database.ts';
import { createBatcher } from '../../../platform/database/batcher.ts';
import { newUuid } from '../../../platform/ids.ts';
import type { Row } from '../../../platform/database/rows.ts';
import { cancelWaiting } from '../../sending/emails/cancel-waiting.ts';
import { threadEvent } from '../activity/record-own-events.ts';
import { createMissing, type Destination } from '../mailboxes/find-mailbox.ts';
import { toReceivedEvent } from '../../events/message-events.ts';
import { recordEvents, type EventToRecord } from '../../events/record-events.ts';
import { findThreads, lockKeysOf, type ThreadCriteria, type ThreadMatch } from '../storage/conversation.ts';
import { formatPerson, collectPeople, joinPeople, keyOfPerson } from '../storage/participants.ts';
import { contentHash } from '../../content/stored/content-hash.ts';
import { compressSource } from '../../content/stored/compress-source.ts';
import { uploadContents } from '../../content/stored/upload-blobs.ts';
import { noteReplies, type ReceivedReply } from '../../automations/runs/note-replies.ts';
import { answerLater, type AnswerableDelivery } from '../vacation/answer-later.ts';
import { addressToAnswer } from '../vacation/may-answer.ts';
import {
  findInvitation,
  storeInvitations,
  type ArrivedInvitation,
  type InvitationToStore,
} from '../invitations/store-invitations.ts';
import { readListUnsubscribe, type ListUnsubscribe } from '../lists/list-unsubscribe.ts';
import { decideArrival, type Decisions } from '../rules/decide-arrival.ts';
import type { RuleDecision } from '../rules/decide.ts';
import { confirmFolders, takeEffect, type Ruled } from '../rules/take-effect.ts';
import type { JudgeSpam, SpamVerdicts } from '../spam/judge-arrival.ts';
import { toStored, type SpamVerdict } from '../spam/verdict.ts';
import { sortLabels } from '../storage/change-flags.ts';
import { classifyReply } from './classify-reply.ts';
import { moreAddressesOf, type MoreAddresses } from '../storage/more-addresses.ts';
import { NO_FLAGS, storeMessages, toSubjectKey, type StoredMessage } from '../storage/store-message.ts';

export interface ReceivedMail {
  destinations: Destination[];
  /** The message as received. */
  raw: Buffer;
  /** Header fields that are added on top when the message is stored. */
  trace: string;
  parsed: ParsedMessage;
  /** The envelope sender. Empty for bounces and other mail that must not be replied to. */
  mailFrom: string;
  authentication: { spf: string; dkim: string; dmarc: string; arc: string } | null;
  /** True if the sender is not who the message says, in every mailbox. */
  isSpam: boolean;
  /** Judges the message for each mailbox. Missing: nothing is checked. */
  judgeSpam?: JudgeSpam;
  /** The fields that each passing DKIM signature covers, in lower case. */
  signedFields?: string[][];
  /**
   * Identifies a repeated delivery of the same message. By default it is derived from the content. Null disables the
   * check.
   */
  deliveryKey?: Buffer | null;
}

/** An incoming message with everything that can be computed before the transaction. */
interface IncomingMessage {
  received: ReceivedMail;
  from: string;
  to: string[];
  cc: string[];
  replyTo: string[];
  moreAddresses: MoreAddresses | null;
  html: string | null;
  displayHtml: string | null;
  references: string[];
  listUnsubscribe: ListUnsubscribe | null;
  invitation: ArrivedInvitation | null;
  raw: Buffer;
  /** One entry for each mailbox. */
  deliveries: {
    destination: Destination;
    criteria: ThreadCriteria;
    decision: RuleDecision | null;
    verdict: SpamVerdict | null;
    /** Whether it belongs in spam before any rule. */
    arrivesAsSpam: boolean;
  }[];
}

/** `retry`: must be stored in a later transaction. `gone`: all its mailboxes were deleted. */
type StoreResult = 'stored' | 'retry' | 'gone';

const NO_VERDICTS: SpamVerdicts = new Map();

/** Returns false if all mailboxes of the message were deleted. */
export async function receiveMessage(db: Db, incoming: ReceivedMail): Promise<boolean> {
  const destinations = await createMissing(db, incoming.destinations);
  const verdicts = (await incoming.judgeSpam?.(db, destinations)) ?? NO_VERDICTS;
  const decisions = await decideArrival(db, { ...incoming, destinations }, verdicts);
  const message = await readIncoming({ ...incoming, destinations }, decisions, verdicts);
  await compressSource(db, message.raw);
  await uploadContents(
    db,
    [...new Set(message.deliveries.map(({ destination }) => destination.teamId))],
    [message.raw, ...incoming.parsed.attachments.map(({ content }) => content)],
  );
  for (;;) {
    const outcome = await storeBatched(db, message);
    if (outcome !== 'retry') return outcome === 'stored';
  }
}

/**
 * Runs one transaction per team at a time, because twenty messages cost little more than one. Large messages get their
 * own batch. Teams do not wait for each other's locks.
 */
const storeBatched = createBatcher<IncomingMessage, StoreResult>({
  keyOf: ({ raw, deliveries: [first] }) =>
    `${first?.destination.teamId} ${raw.length > LARGE_BYTES ? 'large' : 'small'}`,
  sizeOf: ({ raw }) => raw.length,
  atOnce: 1,
  work: (db, messages) => inTransaction(db, (trx) => receiveMessages(trx, messages)),
});

export async function readIncoming(
  incoming: ReceivedMail,
  decisions: Decisions = new Map(),
  verdicts: SpamVerdicts = NO_VERDICTS,
): Promise<IncomingMessage> {
  const { parsed, isSpam } = incoming;
  // Email apps show no author if From has none, so the envelope sender does not take its place.
  const from = parsed.from ? formatPerson(parsed.from) : '';
  const references = referencedIds(parsed);
  const common = {
    messageId: parsed.messageId,
    references,
    subjectKey: toSubjectKey(parsed.subject),
    senderKey: keyOfPerson(from),
    deliveryKey: incoming.deliveryKey === undefined ? keyOfContent(parsed) : incoming.deliveryKey,
    trust: incoming.deliveryKey === undefined ? trustIn(incoming.authentication) : null,
    isSpam,
  };
  return {
    received: incoming,
    from,
    to: parsed.to.map(formatPerson),
    cc: parsed.cc.map(formatPerson),
    replyTo: parsed.replyTo.map(formatPerson),
    moreAddresses: moreAddressesOf(parsed.headers),
    ...(await cleanMailOffLoop(parsed.html)),
    references,
    listUnsubscribe: readListUnsubscribe(parsed.headers, incoming.signedFields ?? []),
    invitation: findInvitation(parsed, incoming),
    raw: Buffer.concat([Buffer.from(incoming.trace), incoming.raw]),
    deliveries: uniqueByMailbox(incoming.destinations).map((destination) => {
      const { teamId, mailboxId } = destination;
      const decision = decisions.get(mailboxId) ?? null;
      const verdict = verdicts.get(mailboxId) ?? null;
      const arrivesAsSpam = isSpam || (verdict?.isSpam ?? false);
      const criteria = { teamId, mailboxId, ...common, isSpam: arrivesAsSpam || decision?.folder === 'spam' };
      const lockKeys = lockKeysOf(criteria);
      return { destination, decision, verdict, arrivesAsSpam, criteria: { ...criteria, lockKeys } };
    }),
  };
}

/**
 * Identifies a repeated message by Message-ID, sender, date and content, regardless of route and encoding. The
 * Message-ID alone is not enough, because some devices reuse one for all their mail. A message without one is never
 * treated as a repeat.
 */
function keyOfContent(parsed: ParsedMessage): Buffer | null {
  const { messageId, from, date, subject, text, html, attachments } = parsed;
  if (messageId === null) return null;
  const files = attachments.flatMap(({ filename, content }) => [
    filename,
    contentHash(content).toString('hex'),
  ]);
  return sha256([messageId, from?.address, date?.getTime(), subject, text, html, ...files].join('\0'));
}

/**
 * How well the sender is authenticated. findCandidates in conversation.ts computes the same for stored messages.
 */
function trustIn(authentication: ReceivedMail['authentication']): number {
  if (!authentication) return 0;
  const { spf, dkim, dmarc } = authentication;
  if (dmarc === 'pass') return 3;
  if (dmarc === 'fail' || dmarc === 'permerror') return -1;
  if (dkim === 'pass') return 2;
  return spf === 'pass' ? 1 : 0;
}

function uniqueByMailbox(destinations: Destination[]): Destination[] {
  return [...new Map(destinations.map((destination) => [destination.mailboxId, destination])).values()];
}

/**
 * Stores a batch of messages. Messages that could belong to the thread of an earlier one in the batch get `retry`. The
 * first message never does, so every batch makes progress.
 */
async function receiveMessages(trx: Db, messages: IncomingMessage[]): Promise<StoreResult[]> {
  const independent = selectIndependent(messages);
  const matches = await findThreads(
    trx,
    independent.map(({ deliveries }) => deliveries.map(({ criteria }) => criteria)),
  );
  const received = independent.flatMap((message, at) => toReceived(message, matches[at]!));
  if (received.length > 0) {
    const ofTeams = [...new Set(received.map(({ message }) => message.teamId))].map((teamId) => ({
      teamId,
      own: received.filter(({ message }) => message.teamId === teamId),
    }));
    await noteReplies(
      trx,
      received.flatMap(({ automationReply }) => automationReply ?? []),
    );
    // Emails are locked before the change numbers of mailboxes, as when they are released.
    for (const { teamId, own } of ofTeams) {
      const answered = own.flatMap(({ repliedThreadId }) => repliedThreadId ?? []);
      await cancelAnswered(trx, teamId, answered);
    }
    const ruled = received.flatMap((each) => toRuled(each));
    await confirmFolders(trx, ruled);
    const inThreads = received.filter(({ isInThread }) => isInThread);
    const ended = inThreads.length > 0 ? await readSnoozes(trx, inThreads) : [];
    await runTogether(
      storeMessages(trx, received),
      ...ofTeams.map(({ teamId, own }) => recordEvents(trx, teamId, own.flatMap(toEvents))),
      answerLater(
        trx,
        received.flatMap(({ answer }) => answer ?? []),
      ),
    );
    await storeInvitations(
      trx,
      received.flatMap(({ invitation }) => invitation ?? []),
    );
    await wakeThreads(trx, ended);
    await takeEffect(trx, ruled);
  }
  const outcomes = new Map(independent.map((message, at) => [message, toOutcome(matches[at]!)]));
  return messages.map((message) => outcomes.get(message) ?? 'retry');
}

function toOutcome(matches: ThreadMatch[] | null): StoreResult {
  if (!matches) return 'retry';
  return matches.every((match) => match === 'gone') ? 'gone' : 'stored';
}

/** Selects the messages that share no lock with an earlier one. */
function selectIndependent(messages: IncomingMessage[]): IncomingMessage[] {
  const taken = new Set<string>();
  return messages.filter(({ deliveries }) => {
    const keys = deliveries.flatMap(({ criteria }) => criteria.lockKeys);
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  });
}

/** The fields of a stored message that are the same in every mailbox. */
export function contentOf(incoming: IncomingMessage) {
  const { parsed } = incoming.received;
  return {
    emailId: null,
    cancelIfReplied: false,
    messageId: parsed.messageId,
    inReplyTo: parsed.inReplyTo,
    references: incoming.references,
    from: incoming.from,
    to: incoming.to,
    cc: incoming.cc,
    bcc: [],
    replyTo: incoming.replyTo,
    moreAddresses: incoming.moreAddresses,
    subject: parsed.subject,
    text: parsed.text,
    html: incoming.html,
    displayHtml: incoming.displayHtml,
    files: parsed.attachments,
    sent: sentOf(parsed),
  };
}

interface Received extends StoredMessage {
  /** The thread whose `cancel_if_replied` messages this one cancels. */
  repliedThreadId: string | null;
  /** Whether its thread has other messages. */
  isInThread: boolean;
  /** The recipient of the mailbox's automatic reply, if it has one. */
  answer: AnswerableDelivery | null;
  invitation: InvitationToStore | null;
  /** What the rules of the mailbox do with the message. */
  decision: RuleDecision | null;
  /** The recipient of an automatic reply, if one may be sent. */
  answerTo: string | null;
  /** True for messages that no person wrote. */
  isAutomatic: boolean;
  /** What automations learn from the message. */
  automationReply: ReceivedReply | null;
}

function toReceived(incoming: IncomingMessage, matches: ThreadMatch[] | null): Received[] {
  const { parsed, mailFrom, authentication } = incoming.received;
  return (matches ?? []).flatMap((match, at) => {
    if (match === 'duplicate' || match === 'gone') return [];
    const { destination, criteria, decision, verdict, arrivesAsSpam } = incoming.deliveries[at]!;
    const received = { ...incoming.received, isSpam: arrivesAsSpam };
    const { teamId, mailboxId, addressKey } = destination;
    const id = newUuid();
    const sender = addressToAnswer(received, [addressKey, destination.deliveredTo ?? addressKey]);
    const people = collectPeople([incoming.from, ...incoming.to, ...incoming.cc], addressKey);
    // Automatic replies (RFC 3834) and our own messages do not count as replies.
    const isAnswer =
      !criteria.isSpam && !parsed.autoSubmitted && mailFrom !== '' && criteria.senderKey !== addressKey;
    return {
      message: {
        teamId,
        mailboxId,
        id,
        direction: 'in',
        folder: decision?.folder ?? (arrivesAsSpam ? 'spam' : match?.isMuted ? 'archive' : 'inbox'),
        flags: decision ? { ...NO_FLAGS, read: decision.isRead, starred: decision.isStarred } : NO_FLAGS,
        labels: sortLabels(decision?.labels ?? []),
        ...contentOf(incoming),
        authentication,
        spam: verdict && toStored(verdict),
        raw: incoming.raw,
        deliveryKey: criteria.deliveryKey,
        deliveredTo: destination.deliveredTo ?? addressKey,
        listUnsubscribe: incoming.listUnsubscribe,
        createdAt: new Date(),
      },
      thread: {
        id: match?.id ?? newUuid(),
        people: match ? joinPeople(match.people, people, addressKey) : people,
        movesToTop: true,
        event: 'message.received',
      },
      repliedThreadId: match && isAnswer ? match.id : null,
      isInThread: match !== null,
      invitation: incoming.invitation && { ...incoming.invitation, teamId, mailboxId, messageId: id },
      // Nobody wants to hear of what is muted.
      decision: decision && match?.isMuted ? { ...decision, watchers: [] } : decision,
      answerTo: criteria.isSpam ? null : (sender?.email ?? null),
      isAutomatic: parsed.autoSubmitted || mailFrom === '',
      answer:
        sender && decision?.folder !== 'spam' && !repliesByRule(decision)
          ? { teamId, mailboxId, messageId: id, address: sender.email }
          : null,
      automationReply: {
        teamId,
        references: incoming.references,
        senderKey: criteria.senderKey,
        kind: criteria.senderKey === addressKey ? 'other' : classifyReply(received),
      },
    };
  });
}

/** A person gets one of the two: the reply of a rule, or that of the mailbox. */
function repliesByRule(decision: RuleDecision | null): boolean {
  return decision?.later.some(({ action }) => action.type === 'reply') ?? false;
}

function toRuled(received: Received): Ruled[] {
  const { decision, answerTo, isAutomatic } = received;
  return decision ? [{ stored: received, decision, answerTo, isAutomatic }] : [];
}

function toEvents({ message, thread, isInThread }: Received): EventToRecord[] {
  const { id, mailboxId, from, to, subject } = message;
  const keys = { mailboxId, messageId: id, threadId: thread.id };
  return [
    toReceivedEvent(keys, { sender: from, to_addresses: to, subject }),
    ...(isInThread ? [] : [threadEvent('mailbox.thread.created', null, keys)]),
    threadEvent('mailbox.thread.received', null, keys),
  ];
}

/** Cancels scheduled messages that were to be sent only without a reply. */
async function cancelAnswered(trx: Db, teamId: number, threadIds: string[]): Promise<void> {
  if (threadIds.length === 0) return;
  const rows = await statement<{ email_id: NonNullable<Row<'messages'>['email_id']> }>(trx)`
    select email_id from messages
    where team_id = ${teamId} and thread_id = any(${threadIds}::uuid[]) and cancel_if_replied and email_id is not null`;
  if (rows.length > 0)
    await cancelWaiting(
      trx,
      teamId,
      rows.map((row) => row.email_id),
    );
}
