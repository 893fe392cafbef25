/** Posthorn and Dovecot with the same messages: 20,000 with text in INBOX, 100,000 small ones in the folder Many. */
import { sql } from 'kysely';
import { decodeId } from '../src/platform/ids.ts';
import { startDovecot } from '../src/testing/servers/dovecot.ts';
import { freePorts } from '../src/testing/servers/free-ports.ts';
import { onClose } from './cleanup.ts';
import { openImapClient, type ImapAccount } from './imap-client.ts';
import { addDomain, startPosthorn, type Posthorn } from './posthorn.ts';

export interface ImapWorld {
  posthorn: Posthorn;
  ours: ImapAccount;
  dovecot: ImapAccount & { pid: number };
  messages: number;
  many: number;
}

const WORDS = 'boat harbour lighthouse rope sail storm wind anchor crew deck'.split(' ');
const AT_ONCE = 50;
const CONNECTIONS = 4;

export async function openImapWorld(messages: number, many: number): Promise<ImapWorld> {
  const [imapPort, imapsPort, submissionsPort] = await freePorts(3);
  const env = {
    IMAP_PORT: String(imapPort),
    IMAPS_PORT: String(imapsPort),
    SUBMISSIONS_PORT: String(submissionsPort),
  };
  const posthorn = await startPosthorn(env, 'http,imap');
  const { teamId } = await addDomain(posthorn);
  const { id } = (await posthorn.call('POST', '/mailboxes', { address: 'crew@bench.test' })) as {
    id: string;
  };
  const app = await posthorn.call('POST', `/mailboxes/${id}/app-passwords`, { name: 'Benchmark' });
  const { password } = app as { password: string };
  const ours = { port: imapPort!, user: 'crew@bench.test', password };
  const dovecot = await startDovecot();
  onClose(() => dovecot.close());
  for (const account of [ours, dovecot]) {
    const client = await openImapClient(account);
    await client.say('CREATE Many');
    client.close();
    await fillInbox(account, messages);
  }
  await fillMany(dovecot, many);
  await insertMany(posthorn, { teamId, mailboxId: decodeId('mbx', id)!, name: 'Many' }, many);
  return { posthorn, ours, dovecot, messages, many };
}

/** Returns a message of about 2 kB. One in 1,000 contains the word that is searched for, in its middle. */
export function messageOf(no: number): string {
  const line = (at: number) => WORDS.map((_, word) => WORDS[(no + at * word) % WORDS.length]).join(' ');
  const lines = Array.from({ length: 30 }, (_, at) => line(at));
  if (no % 1_000 === 0) lines[15] = 'Here is the needle.';
  return [
    `From: Sender ${no} <s${no}@example.org>`,
    'To: crew@bench.test',
    `Subject: Message ${no} about ${WORDS[no % WORDS.length]}`,
    `Date: ${new Date(1_700_000_000_000 + no * 60_000).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${no}@example.org>`,
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...lines,
    '',
  ].join('\r\n');
}

async function fillInbox(account: ImapAccount, count: number): Promise<void> {
  let next = 1;
  const fill = async () => {
    const client = await openImapClient(account);
    while (next <= count) {
      const start = next;
      next += AT_ONCE;
      const numbers = Array.from({ length: Math.min(AT_ONCE, count - start + 1) }, (_, at) => start + at);
      await client.say(`APPEND INBOX${numbers.map((no) => literalOf(messageOf(no))).join('')}`);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, fill));
}

async function fillMany(account: ImapAccount, count: number): Promise<void> {
  const client = await openImapClient(account);
  for (let done = 0; done < count; done += 1_000) {
    const small = Array.from(
      { length: Math.min(1_000, count - done) },
      (_, at) => ` (\\Seen)${literalOf(smallOf(done + at))}`,
    );
    await client.say(`APPEND Many${small.join('')}`);
  }
  client.close();
}

function smallOf(no: number): string {
  return `From: a@example.org\r\nSubject: Subject ${no}\r\nMessage-ID: <small${no}@example.org>\r\n\r\nSome words\r\n`;
}

function literalOf(raw: string): string {
  return ` {${Buffer.byteLength(raw)}+}\r\n${raw}`;
}

interface FolderToFill {
  teamId: number;
  mailboxId: string;
  name: string;
}

/**
 * Inserts rows like those of received messages, without their bytes, because adding that many messages takes too long.
 */
export async function insertMany(
  { database: { db } }: Posthorn,
  { teamId, mailboxId, name }: FolderToFill,
  count: number,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from folders where team_id = ${teamId} and mailbox_id = ${mailboxId} and name = ${name}
  `.execute(db);
  const folder = rows[0]!.id;
  await sql`alter table threads disable trigger user`.execute(db);
  await sql`
    insert into threads (team_id, id, mailbox_id, folder, subject, base_subject, participants, participant_keys, snippet,
      message_count, unread_count, last_message_at)
    select ${teamId}, md5(${name} || 't' || n)::uuid, ${mailboxId}, ${folder}, 'Subject ' || n, 'subject ' || n,
      '{a@example.org}', '{a@example.org}', 'Some words', 2, 0, now() - make_interval(secs => n)
    from generate_series(1, ${count / 2}::integer) n
  `.execute(db);
  await sql`
    insert into messages (team_id, id, mailbox_id, thread_id, direction, message_id, reference_ids, sender, to_addresses,
      cc_addresses, bcc_addresses, reply_to, subject, text, read, attachment_count, created_at, folder, uid, size)
    select ${teamId}, md5(${name} || 'm' || n)::uuid, ${mailboxId}, md5(${name} || 't' || (n + 1) / 2)::uuid, 'in',
      '<' || n || '@example.org>', '{}', 'a@example.org', '{crew@bench.test}', '{}', '{}', '{}', 'Subject ' || n,
      'Some words ' || n, true, 0, now() - make_interval(secs => n), ${folder}, n, 100
    from generate_series(1, ${count}::integer) n
  `.execute(db);
  await sql`
    update folders set next_uid = ${count + 1} where team_id = ${teamId} and mailbox_id = ${mailboxId} and id = ${folder}
  `.execute(db);
  await sql`alter table threads enable trigger user`.execute(db);
  await sql`vacuum analyze messages`.execute(db);
}
