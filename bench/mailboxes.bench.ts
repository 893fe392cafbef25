/** Receiving mail, with and without rules, and reading a mailbox with a million messages. */
import { sql } from 'kysely';
import { searchedTextOf } from '../src/features/mailboxes/storage/search-words.ts';
import { decodeId, encodeId, newUuid } from '../src/platform/ids.ts';
import { getLoad } from './contact-loads.ts';
import { doorOf } from './contact-world.ts';
import { forkProgram } from './forked.ts';
import { startLimit } from './limit.ts';
import { compare, compareOpen } from './measure.ts';
import { addDomain, startPosthorn, type Posthorn } from './posthorn.ts';
import { openSmtpLoad } from './smtp-load.ts';
import { suite, type Row } from './suite.ts';

const CONNECTIONS = 20;
const MESSAGE_BYTES = 10_000;
/** Receiving runs much code, so the JIT compiler needs several seconds to warm up. */
const WARM_UP_MS = 8_000;

interface InboundWorld {
  posthorn: Posthorn;
  address: string;
  limitPort: number;
}

export const inboundSuite = suite(openInboundWorld, [
  {
    name: 'receiving, 20 connections, 10 kB',
    unit: 'messages/s',
    wanted: () => 0.5,
    async measure({ posthorn, address, limitPort }: InboundWorld) {
      const ours = await openSmtpLoad({ port: posthorn.smtpPort, to: address, nextMessage }, CONNECTIONS);
      const limit = await openSmtpLoad({ port: limitPort, to: address, nextMessage }, CONNECTIONS);
      return compareOpen(ours, limit, { roundMs: 1_000, warmUpMs: WARM_UP_MS });
    },
  },
]);

async function openInboundWorld(): Promise<InboundWorld> {
  const dns = forkProgram(new URL('./dns-program.ts', import.meta.url));
  const { address: dnsServer } = await dns.ask<{ address: string }>({});
  const posthorn = await startPosthorn({ DNS_SERVERS: dnsServer }, 'http,smtp');
  const { address } = await createMailbox(posthorn);
  const limit = forkProgram(new URL('./inbound.limit.ts', import.meta.url));
  const { port } = await limit.ask<{ port: number }>({ databaseUrl: posthorn.databaseUrl });
  return { posthorn, address, limitPort: port };
}

async function createMailbox(posthorn: Posthorn): Promise<{ id: string; address: string; teamId: number }> {
  const domain = await addDomain(posthorn);
  const mailbox = (await posthorn.call('POST', '/mailboxes', { address: 'crew@bench.test' })) as {
    id: string;
    address: string;
  };
  return { ...mailbox, teamId: domain.teamId };
}

let serial = 0;
const LINE = 'It is a truth universally acknowledged that a benchmark is in want of a message.\r\n';
const BODY = LINE.repeat(Math.floor(MESSAGE_BYTES / LINE.length)).trimEnd();

function nextMessage(): string {
  const no = ++serial;
  return `From: Sender ${no} <s${no}@example.org>\r\nTo: crew@bench.test\r\nSubject: Message ${no}\r\nMessage-ID: <${process.pid}.${no}@example.org>\r\n\r\n${BODY}`;
}

const RULES = 200;
/** Rules may cost 5% of receiving. */
const WANTED_WITH_RULES = 0.95;

interface RulesWorld {
  posthorn: Posthorn;
  plain: string;
  ruled: string;
}

/** The same server receives for a mailbox with rules and for one without any. */
export const rulesSuite = suite(openRulesWorld, [
  {
    name: 'receiving with 200 rules, 20 connections, 10 kB',
    unit: 'messages/s',
    wanted: () => WANTED_WITH_RULES,
    async measure({ posthorn, plain, ruled }: RulesWorld) {
      const open = (to: string) => openSmtpLoad({ port: posthorn.smtpPort, to, nextMessage }, CONNECTIONS);
      return compareOpen(await open(ruled), await open(plain), {
        rounds: 21,
        roundMs: 1_000,
        warmUpMs: WARM_UP_MS,
      });
    },
  },
]);

async function openRulesWorld(): Promise<RulesWorld> {
  const dns = forkProgram(new URL('./dns-program.ts', import.meta.url));
  const { address: dnsServer } = await dns.ask<{ address: string }>({});
  const posthorn = await startPosthorn({ DNS_SERVERS: dnsServer }, 'http,smtp');
  const { address: plain } = await createMailbox(posthorn);
  const ruled = 'ruled@bench.test';
  const { id } = (await posthorn.call('POST', '/mailboxes', { address: ruled })) as { id: string };
  for (let no = 0; no < RULES; no++) await posthorn.call('POST', `/mailboxes/${id}/rules`, ruleOf(no));
  return { posthorn, plain, ruled };
}

/** One of the rules labels every fifth message. All look at the sender, the subject and a header, some at the body. */
function ruleOf(no: number): object {
  const conditions = [
    { field: 'subject', op: 'ends_with', value: String(no).padStart(3, '0') },
    { field: 'from', op: 'contains', value: '@example.org' },
    { field: 'header:X-Priority', op: 'exists', value: false },
    ...(no % 5 === 0 ? [{ field: 'body', op: 'contains', value: 'benchmark' }] : []),
  ];
  const never = { field: 'body', op: 'contains', value: `nobody writes ${no}` };
  return {
    name: `Rule ${no}`,
    match: no % 10 === 9 ? 'any' : 'all',
    conditions: no % 10 === 9 ? [{ ...conditions[0]! }, never] : conditions,
    actions: [{ type: 'label', value: `label-${no % 20}` }],
  };
}

const THREAD_MESSAGES = 500;
const PARAGRAPH_BYTES = 2_000;

interface ThreadWorld {
  posthorn: Posthorn;
  threadId: string;
  limitPort: number;
}

export const threadSuite = suite(openThreadWorld, [
  {
    name: 'GET thread of 500 messages, 8 connections',
    unit: 'requests/s',
    wanted: () => 0.5,
    measure: ({ posthorn, threadId, limitPort }: ThreadWorld) =>
      compare(
        getLoad(doorOf(posthorn), `/api/v1/threads/${encodeId('thr', threadId)}`),
        getLoad({ port: limitPort, headers: '' }, `/readThread/${threadId}`),
        { connections: 8 },
      ),
  },
]);

async function openThreadWorld(): Promise<ThreadWorld> {
  const posthorn = await startPosthorn();
  const { id, teamId } = await createMailbox(posthorn);
  const { db } = posthorn.database;
  const threadId = newUuid();
  await sql`
    insert into threads (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys, snippet,
      message_count, unread_count, last_message_at)
    values (${teamId}, ${threadId}, ${decodeId('mbx', id)}, 'inbox', 'Long', 'long', '{a@example.org}',
      '{a@example.org}', 'Some words', ${THREAD_MESSAGES}, 0, now())
  `.execute(db);
  await sql`
    insert into messages (team_id, id, mailbox_id, thread_id, direction, message_id, reference_ids, sender, to_addresses,
      cc_addresses, bcc_addresses, reply_to, subject, text, html, read, attachment_count, created_at,
      folder, uid)
    select ${teamId}, md5('m' || n)::uuid, ${decodeId('mbx', id)}, ${threadId}, 'in', '<' || n || '@example.org>', '{}',
      'a@example.org', '{crew@bench.test}', '{}', '{}', '{}', 'Long', ${LINE.repeat(PARAGRAPH_BYTES / LINE.length)},
      '<p>' || ${LINE.repeat(PARAGRAPH_BYTES / LINE.length)} || '</p>', true, 0, now() - make_interval(secs => n),
      'inbox', n
    from generate_series(1, ${THREAD_MESSAGES}::integer) n
  `.execute(db);
  await sql`update folders set next_uid = ${THREAD_MESSAGES + 1} where id = 'inbox'`.execute(db);
  await sql`analyze`.execute(db);
  return { posthorn, threadId, limitPort: await startLimit(posthorn.databaseUrl, teamId) };
}

interface TwoMailboxes {
  small: { posthorn: Posthorn; mailboxId: string };
  large: { posthorn: Posthorn; mailboxId: string };
}

const SMALL = 10_000;
const LARGE = 1_000_000;
/** Ours may be at most 1.5 times slower. */
const WANTED = 1 / 1.5;

export const mailboxSuite = suite(openTwoMailboxes, [
  readingRow('GET threads', '/threads?folder=inbox'),
  readingRow('GET threads by search', '/threads?q=needle'),
]);

function readingRow(name: string, path: string): Row<TwoMailboxes> {
  return {
    name: `${name}, 32 connections, 1,000,000 messages`,
    unit: 'requests/s',
    wanted: () => WANTED,
    measure: ({ small, large }) =>
      compare(
        getLoad(doorOf(large.posthorn), `/api/v1/mailboxes/${large.mailboxId}${path}`),
        getLoad(doorOf(small.posthorn), `/api/v1/mailboxes/${small.mailboxId}${path}`),
        { connections: 32 },
      ),
  };
}

async function openTwoMailboxes(): Promise<TwoMailboxes> {
  return { small: await openMailbox(SMALL), large: await openMailbox(LARGE) };
}

/** Each thread has two messages. Fifty messages contain the word that is searched for. */
async function openMailbox(messages: number): Promise<{ posthorn: Posthorn; mailboxId: string }> {
  const posthorn = await startPosthorn();
  const { id: mailboxId, teamId } = await createMailbox(posthorn);
  const { db } = posthorn.database;
  const mailbox = decodeId('mbx', mailboxId)!;
  await sql`alter table threads disable trigger user`.execute(db);
  await sql`
    insert into threads (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys, snippet,
      message_count, unread_count, last_message_at)
    select ${teamId}, md5('t' || n)::uuid, ${mailbox}, 'inbox', 'Subject ' || n, 'subject ' || n, '{a@example.org}',
      '{a@example.org}', 'Some words', 2, 0, now() - make_interval(secs => n)
    from generate_series(1, ${messages / 2}::integer) n
  `.execute(db);
  await sql`
    insert into messages (team_id, id, mailbox_id, thread_id, direction, message_id, reference_ids, sender, to_addresses,
      cc_addresses, bcc_addresses, reply_to, subject, text, read, attachment_count, created_at, folder,
      uid)
    select ${teamId}, md5('m' || n)::uuid, ${mailbox}, md5('t' || (n + 1) / 2)::uuid, 'in', '<' || n || '@example.org>',
      '{}', 'a@example.org', '{crew@bench.test}', '{}', '{}', '{}', 'Subject ' || n, 'Some words ' || n, true, 0,
      now() - make_interval(secs => n), 'inbox', n
    from generate_series(1, ${messages}::integer) n
  `.execute(db);
  const words = searchedTextOf(mailbox, { from: '', to: [], subject: '', text: 'Some words w' });
  await sql`
    insert into message_words (team_id, message_id, words)
    select ${teamId}, md5('m' || n)::uuid, ${words} || n % 5000 ||
      case when n % (${messages}::integer / 50) = 0 then ' needle' else '' end
    from generate_series(1, ${messages}::integer) n
  `.execute(db);
  await sql`update folders set next_uid = ${messages + 1} where id = 'inbox'`.execute(db);
  await sql`alter table threads enable trigger user`.execute(db);
  await sql`analyze`.execute(db);
  const { items } = (await posthorn.call('GET', `/mailboxes/${mailboxId}/threads?q=needle&limit=1`)) as {
    items: unknown[];
  };
  if (items.length !== 1) throw new Error(`The search finds nothing in ${encodeId('mbx', mailbox)}.`);
  return { posthorn, mailboxId };
}
