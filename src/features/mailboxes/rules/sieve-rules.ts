/** Rules of a mailbox as a Sieve script, and back. */
import type { Db } from '../../../platform/database/database.ts';
import { badRequest } from '../../../platform/errors.ts';
import type { Caller } from '../../api/caller.ts';
import { requireMailbox } from '../mailboxes/find-mailbox.ts';
import { listFolders } from '../storage/folder-rows.ts';
import { listSavedReplies } from '../saved-replies/saved-replies.ts';
import { listRules, replaceRules } from './rules.ts';
import type { ForwardTools } from './forward-targets.ts';
import { parseSieve } from './parse-sieve.ts';
import { writeSieve } from './write-sieve.ts';

export async function readSieve(db: Db, caller: Caller, mailboxId: string): Promise<string> {
  const { id } = await requireMailbox(db, caller, mailboxId);
  const folders = await listFolders(db, { teamId: caller.teamId, mailboxId: id });
  return writeSieve(
    await listRules(db, caller, mailboxId),
    new Map(folders.map((folder) => [folder.id, folder.name])),
  );
}

/** Returns the number of rules. */
export async function storeSieve(
  db: Db,
  caller: Caller,
  mailboxId: string,
  script: string,
  tools: ForwardTools,
): Promise<number> {
  const { id } = await requireMailbox(db, caller, mailboxId, 'manage');
  const folders = await listFolders(db, { teamId: caller.teamId, mailboxId: id });
  const replies = await listSavedReplies(db, caller, mailboxId);
  const { rules, problems } = parseSieve(script, {
    folders: new Map(folders.map((folder) => [folder.name.toLowerCase(), folder.id])),
    savedReplies: new Set(replies.map((reply) => reply.id)),
  });
  if (problems.length > 0) {
    const issues = problems.map(({ line, message }) => ({
      path: '/script',
      message: `line ${line}: ${message}`,
    }));
    throw badRequest(`The script cannot be used: ${issues[0]!.message}.`, issues.slice(0, 50));
  }
  return replaceRules(db, caller, mailboxId, rules, tools);
}
