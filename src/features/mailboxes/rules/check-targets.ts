/** Checks that everything that a rule names exists, and cleans the HTML in it. */
import { sql } from 'kysely';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import { decodeId } from '../../../platform/ids.ts';
import type { Caller } from '../../api/caller.ts';
import { listReaders } from '../access/readers.ts';
import { findMailboxByAddress, type MailboxRow } from '../mailboxes/find-mailbox.ts';
import { findFolder, findFolderByName } from '../storage/folder-rows.ts';
import { isSystemFolder, NOT_FOR_RULES } from '../storage/folder-names.ts';
import { findKeyword } from '../labels/labels.ts';
import { cleanOwnHtml } from '../storage/own-html.ts';
import type { RuleAction, RuleCondition } from './rules.schema.ts';

interface Parts {
  conditions: RuleCondition[];
  actions: RuleAction[];
}

/** Throws 400 with the path of the part that is wrong. */
export async function checkTargets(
  db: Db,
  caller: Caller,
  mailbox: MailboxRow,
  { conditions, actions }: Parts,
): Promise<Parts> {
  for (const [at, { field, value }] of conditions.entries()) {
    if (field === 'segment' && !(await exists(db, caller, 'segments', decodeId('seg', String(value)))))
      throw wrong(`/conditions/${at}/value`, 'must be the ID of a segment of your team');
  }
  const checked: RuleAction[] = [];
  for (const [at, action] of actions.entries())
    checked.push(await checkAction(db, caller, mailbox, action, `/actions/${at}`));
  return { conditions, actions: checked };
}

async function checkAction(
  db: Db,
  caller: Caller,
  mailbox: MailboxRow,
  action: RuleAction,
  path: string,
): Promise<RuleAction> {
  switch (action.type) {
    case 'label':
    case 'unlabel': {
      const keyword = await findKeyword(db, mailboxRef(caller, mailbox), action.value);
      if (keyword === null)
        throw wrong(`${path}/value`, 'must be the ID, name or keyword of a label of this mailbox');
      return { ...action, value: keyword };
    }
    case 'move': {
      if (isSystemFolder(action.value)) return action;
      const ref = mailboxRef(caller, mailbox);
      const folder =
        (await findFolder(db, ref, action.value)) ?? (await findFolderByName(db, ref, action.value));
      if (!folder || NOT_FOR_RULES.includes(folder.id))
        throw wrong(
          `${path}/value`,
          'must be inbox, archive, spam, trash, or the ID or name of a folder of this mailbox',
        );
      return { ...action, value: folder.id };
    }
    case 'reply':
    case 'draft': {
      const id = decodeId('srp', action.saved_reply_id);
      const { rows } = await sql`
        select 1 from saved_replies where team_id = ${caller.teamId} and mailbox_id = ${mailbox.id} and id = ${id}
      `.execute(db);
      if (rows.length === 0) throw wrong(`${path}/saved_reply_id`, 'must be a saved reply of this mailbox');
      return action;
    }
    case 'assign': {
      const readers = await listReaders(db, caller.teamId, mailbox.id);
      if (!readers.has(decodeId('usr', action.user_id) ?? ''))
        throw wrong(`${path}/user_id`, 'must be a person with access to the mailbox');
      return action;
    }
    case 'forward': {
      const address = parseAddress(action.to)!;
      if ((await findMailboxByAddress(db, caller.teamId, address.email))?.mailboxId === mailbox.id)
        throw wrong(
          `${path}/to`,
          'must not be the mailbox itself, because the mail would go round in circles',
        );
      return { type: 'forward', to: address.email };
    }
    case 'note':
      return { type: 'note', html: await cleanOwnHtml(action.html) };
    default:
      return action;
  }
}

function mailboxRef({ teamId }: Caller, { id }: MailboxRow) {
  return { teamId, mailboxId: id };
}

async function exists(db: Db, { teamId }: Caller, table: 'segments', id: string | null): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('team_id', '=', teamId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

function wrong(path: string, message: string) {
  return badRequest(`${path.slice(1).replaceAll('/', '.')} ${message}.`, [{ path, message }]);
}
