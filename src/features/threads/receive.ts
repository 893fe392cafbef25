/**
 * Mail that came for mailboxes: stored in each of them with its thread, in one transaction, so that whoever brought it
 * hears "accepted" only when all have it. The same message brought again is there already, and nothing happens.
 * Messages that came at the same time share the statements and the commit.
 */
import { showAsText } from '../../mail/clean-html.ts';
import { toShownPerson } from '../../mail/shown-person.ts';
import { cleanLetter } from '../../mail/clean-letter.ts';
import { LARGE_BYTES, type ParsedMessage } from '../../mail/parse-message.ts';
import { referencedIds } from '../../mail/threading.ts';
import { sha256 } from '../../platform/crypto.ts';
import { inTransaction, statement, together, type Db } from '../../platform/database.ts';
import { createGatherer } from '../../platform/gather.ts';
import { encodeId, newUuid } from '../../platform/ids.ts';
import { cancelWaiting } from '../emails/cancel-waiting.ts';
import type { Destination } from '../mailboxes/find-mailbox.ts';
import { announce, type Notice } from '../webhooks/announce.ts';
import { findPlaces, lockKeysOf, type Arrival, type Place } from './conversation.ts';
import { formatPerson, gatherPeople, joinPeople, keyOfPerson } from './people.ts';
import { storeMessages, toSubjectKey, type StoredMessage } from './store-message.ts';

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

/** An incoming message with all that can be said of it before the database is asked. */
interface Letter {
  incoming: Incoming;
  from: string;
  to: string[];
  cc: string[];
  replyTo: string[];
  html: string | null;
  references: string[];
  raw: Buffer;
  /** One for each of its mailboxes. */
  deliveries: { destination: Destination; arrival: Arrival }[];
}

/** `left`: not yet, it has to come again. `gone`: none of its mailboxes is there any more. */
type Outcome = 'stored' | 'left' | 'gone';

/** False where none of its mailboxes is there any more. */
export async function receiveMessage(db: Db, incoming: Incoming): Promise<boolean> {
  const letter = await toLetter(incoming);
  for (;;) {
    const outcome = await storeTogether(db, letter);
    if (outcome !== 'left') return outcome === 'stored';
  }
}

/**
 * One transaction of a team at a time, which costs little more for twenty messages than for one; large ones go their
 * own way, and no team waits for what another has locked.
 */
const storeTogether = createGatherer<Letter, Outcome>({
  keyOf: ({ raw, deliveries: [first] }) =>
    `${first?.destination.teamId} ${raw.length > LARGE_BYTES ? 'large' : 'small'}`,
  sizeOf: ({ raw }) => raw.length,
  atOnce: 1,
  work: (db, letters) => inTransaction(db, (trx) => receiveLetters(trx, letters)),
});

async function toLetter(incoming: Incoming): Promise<Letter> {
  const { parsed, isSpam } = incoming;
  const from = formatPerson(parsed.from ?? toShownPerson({ name: null, address: incoming.mailFrom }));
  const references = referencedIds(parsed);
  const known = {
    messageId: parsed.messageId,
    references,
    subjectKey: toSubjectKey(parsed.subject),
    senderKey: keyOfPerson(from),
    deliveryKey: incoming.deliveryKey ?? keyOfContent(parsed),
    isSpam,
  };
  return {
    incoming,
    from,
    to: parsed.to.map(formatPerson),
    cc: parsed.cc.map(formatPerson),
    replyTo: parsed.replyTo.map(formatPerson),
    html: parsed.html === null ? null : await cleanReceived(parsed.html),
    references,
    raw: Buffer.concat([Buffer.from(incoming.trace), incoming.raw]),
    deliveries: onceEach(incoming.destinations).map((destination) => {
      const { teamId, mailboxId } = destination;
      const arrival = { teamId, mailboxId, ...known };
      return { destination, arrival: { ...arrival, lockKeys: lockKeysOf(arrival) } };
    }),
  };
}

/** What cannot be cleaned is shown as text; all of it is in the raw message. */
function cleanReceived(html: string): Promise<string> {
  return cleanLetter(html).catch(() => showAsText(html));
}

/**
 * What makes it the same again, whichever way it came and however it was packed: its id, who wrote it, when and what. The
 * id alone does not, for there are devices that have one for all they ever write; and one without is always another.
 */
function keyOfContent(parsed: ParsedMessage): Buffer | null {
  const { messageId, from, date, subject, text, html, attachments } = parsed;
  if (messageId === null) return null;
  const files = attachments.flatMap(({ filename, content }) => [filename, sha256(content).toString('hex')]);
  return sha256([messageId, from?.address, date?.getTime(), subject, text, html, ...files].join('\0'));
}

function onceEach(destinations: Destination[]): Destination[] {
  return [...new Map(destinations.map((destination) => [destination.mailboxId, destination])).values()];
}

/**
 * Stores them together, but for those that are left: two messages that could belong together come one behind the other.
 * The first one is never left.
 */
async function receiveLetters(trx: Db, letters: Letter[]): Promise<Outcome[]> {
  const apart = keepApart(letters);
  const places = await findPlaces(
    trx,
    apart.map(({ deliveries }) => deliveries.map(({ arrival }) => arrival)),
  );
  const received = apart.flatMap((letter, at) => toReceived(letter, places[at]!));
  if (received.length > 0) {
    const ofTeams = [...new Set(received.map(({ message }) => message.teamId))].map((teamId) => ({
      teamId,
      own: received.filter(({ message }) => message.teamId === teamId),
    }));
    await together(
      storeMessages(trx, received),
      ...ofTeams.map(({ teamId, own }) => announce(trx, teamId, own.map(toNotice))),
    );
    for (const { teamId, own } of ofTeams) {
      const answered = own.flatMap(({ answers }) => answers ?? []);
      await takeBackAnswered(trx, teamId, answered);
    }
  }
  const outcomes = new Map(apart.map((letter, at) => [letter, toOutcome(places[at]!)]));
  return letters.map((letter) => outcomes.get(letter) ?? 'left');
}

function toOutcome(places: Place[] | null): Outcome {
  if (!places) return 'left';
  return places.every((place) => place === 'gone') ? 'gone' : 'stored';
}

/** Those that share no lock with one before them. */
function keepApart(letters: Letter[]): Letter[] {
  const taken = new Set<string>();
  return letters.filter(({ deliveries }) => {
    const keys = deliveries.flatMap(({ arrival }) => arrival.lockKeys);
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  });
}

interface Received extends StoredMessage {
  /** The thread in which somebody may have waited for it. */
  answers: string | null;
}

function toReceived(letter: Letter, places: Place[] | null): Received[] {
  const { parsed, isSpam, mailFrom, authentication } = letter.incoming;
  return (places ?? []).flatMap((place, at) => {
    if (place === 'known' || place === 'gone') return [];
    const { destination, arrival } = letter.deliveries[at]!;
    const { teamId, mailboxId, addressKey } = destination;
    const people = gatherPeople([letter.from, ...letter.to, ...letter.cc], addressKey);
    // A machine's word is no answer (RFC 3834), nor is our own.
    const isAnswer = !isSpam && !parsed.autoSubmitted && mailFrom !== '' && arrival.senderKey !== addressKey;
    return {
      message: {
        teamId,
        mailboxId,
        id: newUuid(),
        direction: 'in',
        emailId: null,
        cancelIfReplied: false,
        messageId: parsed.messageId,
        inReplyTo: parsed.inReplyTo,
        references: letter.references,
        from: letter.from,
        to: letter.to,
        cc: letter.cc,
        bcc: [],
        replyTo: letter.replyTo,
        subject: parsed.subject,
        text: parsed.text,
        html: letter.html,
        authentication,
        raw: letter.raw,
        deliveryKey: arrival.deliveryKey,
        files: parsed.attachments,
        createdAt: new Date(),
      },
      thread: {
        id: place?.id ?? newUuid(),
        folder: isSpam ? 'spam' : 'inbox',
        people: place ? joinPeople(place.people, people, addressKey) : people,
        isNews: true,
        event: 'message.received',
      },
      answers: place && isAnswer ? place.id : null,
    };
  });
}

function toNotice({ message, thread }: StoredMessage): Notice {
  return {
    type: 'mailbox.message.received',
    data: {
      mailboxId: encodeId('mbx', message.mailboxId),
      messageId: encodeId('msg', message.id),
      threadId: encodeId('thr', thread.id),
      from: message.from,
      to: message.to,
      subject: message.subject,
    },
  };
}

/** What was to leave only if nobody wrote first. */
async function takeBackAnswered(trx: Db, teamId: number, threadIds: string[]): Promise<void> {
  if (threadIds.length === 0) return;
  const rows = await statement<{ email_id: string }>(trx)`
    select email_id from messages
    where team_id = ${teamId} and thread_id = any(${threadIds}::uuid[]) and cancel_if_replied and email_id is not null`;
  if (rows.length > 0)
    await cancelWaiting(
      trx,
      teamId,
      rows.map((row) => row.email_id),
    );
}
