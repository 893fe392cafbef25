/**
 * Who may do what in which mailbox. This is the only place that decides: `accessLevel` as part of a statement, and
 * `requireLevel` for a row that was read with it.
 *
 * - A mailbox is open to the team, or to the people who are listed. In an open one everyone may reply, and owners,
 *   admins and API keys manage it.
 * - Owners and admins who are not listed see that the mailbox exists and may change its access, but read nothing.
 * - A key that is limited to mailboxes manages these and finds no others. Any other key finds only open mailboxes. The key
 *   of an application that acts for a person has no more than the level of the person in any of them.
 */
import { sql, type RawBuilder } from 'kysely';
import { AppError, notFound } from '../../platform/errors.ts';
import { decodeId } from '../../platform/ids.ts';
import type { Row } from '../../platform/database/rows.ts';
import type { Caller, Person } from './caller.ts';

export const MAILBOX_ROLES = ['read', 'draft', 'reply', 'manage'] as const;
export type MailboxRole = (typeof MAILBOX_ROLES)[number];

/** `settings` are open to all who may reply in a mailbox of the team, and otherwise to those who manage it. */
export type MailboxNeed = 'see' | MailboxRole | 'settings';

/** The level of a caller in a mailbox, in the order of rights. */
const LEVELS = ['none', 'see', ...MAILBOX_ROLES] as const;
const LEVEL_OF = new Map<string, number>(LEVELS.map((name, level) => [name, level]));
const levelOf = (name: (typeof LEVELS)[number]) => LEVEL_OF.get(name)!;
const level = (name: (typeof LEVELS)[number]) => sql.lit(levelOf(name));

/** What routes of mailboxes declare: their handlers find mailboxes through this file, so bound keys may call them. */
export const MAILBOX_ROUTE = {
  permission: 'full',
  role: 'member',
  boundKeys: 'kept-to-domain',
  mailboxKeys: 'kept-to-mailboxes',
} as const;

/** What a level is computed from: the columns of a mailbox. */
export type MailboxCaller = Pick<Caller, 'person' | 'mailboxIds' | 'actsFor'>;

/** The columns that `requireLevel` needs. `box` is the alias of `mailboxes`. */
export interface AccessColumns {
  access_level: number;
  access_mode: Row<'mailboxes'>['access_mode'];
}

export function accessColumns(caller: MailboxCaller, box: string): RawBuilder<unknown> {
  return sql`${accessLevel(caller, box)} as access_level, ${sql.ref(`${box}.access_mode`)}`;
}

/** The level of the caller in the mailbox `box`, as an integer. */
function accessLevel({ person, mailboxIds, actsFor }: MailboxCaller, box: string): RawBuilder<number> {
  const column = (name: string) => sql.ref(`${box}.${name}`);
  const manage = sql`${sql.lit(levelOf('manage'))}`;
  if (mailboxIds === 'all') return sql<number>`${manage}`;
  if (!person) {
    const reaches =
      mailboxIds === null
        ? sql`${column('access_mode')} = 'team'`
        : sql`${column('id')} = any(${mailboxIds}::uuid[])`;
    const most = actsFor ? levelOfPerson(actsFor, box) : manage;
    return sql<number>`(case when ${reaches} then ${most} else 0 end)`;
  }
  return levelOfPerson(person, box);
}

function levelOfPerson({ userId, role }: Pick<Person, 'userId' | 'role'>, box: string): RawBuilder<number> {
  return accessLevelOf({ userId: sql`${decodeId('usr', userId)}::uuid`, role: sql`${role}::text` }, box);
}

/**
 * The level of a person, whose ID and role in the team are expressions. For an app password that an API key created
 * both are null: it works while the mailbox is open to the team, or as long as it is not deleted.
 */
export function accessLevelOf(
  { userId, role }: { userId: RawBuilder<unknown>; role: RawBuilder<unknown> },
  box: string,
): RawBuilder<number> {
  const column = (name: string) => sql.ref(`${box}.${name}`);
  return sql<number>`greatest(
    case when ${userId} is null then ${level('reply')}
      when ${column('access_mode')} = 'team' then
        case ${role} when 'member' then ${level('reply')} else ${level('manage')} end
      else case ${role} when 'member' then 0 else ${level('see')} end end,
    (select array_position(array['read', 'draft', 'reply', 'manage'], listed.role) + 1 from mailbox_access listed
      where listed.team_id = ${column('team_id')} and listed.mailbox_id = ${column('id')}
        and listed.user_id = ${userId})
  )`;
}

export function mayRead(caller: MailboxCaller, box: string): RawBuilder<boolean> {
  return sql<boolean>`${accessLevel(caller, box)} >= ${sql.lit(levelOf('read'))}`;
}

export function mayReply(caller: MailboxCaller, box: string): RawBuilder<boolean> {
  return sql<boolean>`${accessLevel(caller, box)} >= ${sql.lit(levelOf('reply'))}`;
}

export function maySee(caller: MailboxCaller, box: string): RawBuilder<boolean> {
  return sql<boolean>`${accessLevel(caller, box)} >= ${sql.lit(levelOf('see'))}`;
}

/**
 * True for emails that the caller may see: all but those that were written in a mailbox that the caller cannot read. The
 * message may have been deleted since, so the sender counts as well. Deleted mailboxes that were not open to the team
 * count too. `email` is an alias with team_id, id, source, sender and created_at.
 */
export function mayReadEmail(caller: MailboxCaller, email: string): RawBuilder<boolean> {
  if (caller.mailboxIds === 'all') return sql<boolean>`true`;
  const column = (name: string) => sql.ref(`${email}.${name}`);
  return sql<boolean>`(${column('source')} <> 'mailbox' or not exists (
    select from mailboxes hidden where hidden.team_id = ${column('team_id')} and not (${mayRead(caller, 'hidden')})
      and (position(hidden.address_key in lower(${column('sender')})) > 0 or exists (
        select from messages written where written.team_id = ${column('team_id')}
          and written.email_id = ${column('id')} and written.mailbox_id = hidden.id)))
    and not exists (
      select from closed_mailboxes closed where closed.team_id = ${column('team_id')}
        and closed.deleted_at >= ${column('created_at')}
        and position(closed.address_key in lower(${column('sender')})) > 0))`;
}

/** The role of a level. Null for someone who only sees that the mailbox exists. */
export function roleOfLevel(level: number): MailboxRole | null {
  return MAILBOX_ROLES[level - levelOf('read')] ?? null;
}

export function reachesLevel({ access_level, access_mode }: AccessColumns, need: MailboxNeed): boolean {
  const needed = need === 'settings' ? (access_mode === 'team' ? 'reply' : 'manage') : need;
  return access_level >= levelOf(needed);
}

/** Completes `You are not allowed to`. */
const WHAT: Record<MailboxNeed, string> = {
  see: 'see this mailbox',
  read: 'read this mailbox',
  draft: 'write drafts in this mailbox',
  reply: 'send, move or delete in this mailbox',
  manage: 'manage this mailbox',
  settings: 'change the settings of this mailbox',
};

/**
 * Everyone with access sees who has it. Those who manage the mailbox, owners, admins and keys that are not limited may
 * change it.
 */
export function requireAccessRights(caller: MailboxCaller, row: AccessColumns, to: 'read' | 'change'): void {
  if (!caller.person && caller.mailboxIds === null && !caller.actsFor) return;
  requireLevel(row, 'see');
  const leads = caller.person !== null && caller.person.role !== 'member';
  if (to === 'change' && !leads) requireLevel(row, 'manage');
}

/**
 * Throws NOT_FOUND for callers without access, and FORBIDDEN for those who have too little. `what` is what was asked
 * for: things inside a mailbox that the caller cannot read are not found.
 */
export function requireLevel(row: AccessColumns, need: MailboxNeed, what = 'Mailbox'): void {
  if (reachesLevel(row, need)) return;
  const found = what === 'Mailbox' ? levelOf('see') : levelOf('read');
  if (row.access_level < found) throw notFound(what);
  throw tooLittleAccess(need);
}

function tooLittleAccess(need: MailboxNeed): AppError {
  return new AppError('FORBIDDEN', `You are not allowed to ${WHAT[need]}.`);
}
