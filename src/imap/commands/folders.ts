/** Creates, renames, deletes and subscribes to folders; NAMESPACE and QUOTA. */
import { getTeamStorage } from '../../features/account/storage/storage-figures.ts';
import { requireSpace } from '../../features/instance/require-space.ts';
import {
  createFolder,
  deleteFolder,
  renameFolder,
  setSubscribed,
} from '../../features/mailboxes/storage/change-folders.ts';
import { normalizeName } from '../../features/mailboxes/storage/folder-names.ts';
import { findFolderByName, listFolders } from '../../features/mailboxes/storage/folder-rows.ts';
import { listSubscribedNames, takeSubscriptions } from '../../features/mailboxes/storage/subscribed-names.ts';
import {
  folderIdOf,
  DELIMITER,
  noSuchFolder,
  readFolderName,
  requireFolder,
  writeFolderName,
} from '../session/folder-names.ts';
import { Refusal, type CommandInput, type CommandResult, type UserSession } from '../session/session.ts';

export async function create(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  // A trailing separator announces folders inside this one. Any folder may have some (RFC 9051 section 6.3.4).
  const name = readFolderName(session, cursor).replace(/\/$/, '');
  // CREATE-SPECIAL-USE (RFC 6154) is not offered, but its parameters are parsed.
  if (cursor.take(' ')) throw new Refusal('CANNOT', 'Special uses cannot be chosen');
  cursor.end();
  await requireSpace(session.tools.facts, session.login.teamId, 0);
  const folder = await changing(session, (db) =>
    createFolder(db, session.login, name, { subscribes: false }),
  );
  return `[MAILBOXID (${folderIdOf(session.login.mailboxId, folder.id)})] Created`;
}

export async function remove(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const name = readFolderName(session, cursor);
  cursor.end();
  const folder = await requireFolder(session, name);
  const all = await listFolders(session.tools.db, session.login);
  if (all.some((other) => other.name.startsWith(folder.name + DELIMITER)))
    throw new Refusal('HASCHILDREN', 'The folder contains other folders');
  await changing(session, (db) => deleteFolder(db, session.login, folder.id, { keepsSubscriptions: true }));
}

export async function rename(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const name = readFolderName(session, cursor);
  cursor.space();
  const newName = readFolderName(session, cursor).replace(/\/$/, '');
  cursor.end();
  const folder = await requireFolder(session, name);
  await requireSpace(session.tools.facts, session.login.teamId, 0);
  await changing(session, (db) => renameFolder(db, session.login, folder.id, newName));
}

export async function subscribe(session: UserSession, input: CommandInput): CommandResult {
  await subscribeTo(session, input, true);
}

export async function unsubscribe(session: UserSession, input: CommandInput): CommandResult {
  await subscribeTo(session, input, false);
}

/** A client may subscribe only to a folder that exists, but it stays subscribed when that folder is deleted. */
async function subscribeTo(
  session: UserSession,
  { cursor }: CommandInput,
  isSubscribed: boolean,
): Promise<void> {
  const { tools, login } = session;
  cursor.space();
  const name = readFolderName(session, cursor);
  cursor.end();
  if (isSubscribed) await requireSpace(tools.facts, login.teamId, 0);
  const folder = await findFolderByName(tools.db, login, name);
  if (folder) await changing(session, (db) => setSubscribed(db, login, folder.id, isSubscribed));
  else if (!isSubscribed) await takeSubscriptions(tools.db, login, [name]);
  else if (!(await listSubscribedNames(tools.db, login)).includes(normalizeName(name)))
    throw noSuchFolder('NONEXISTENT');
}

/** Tells other connections of the change. */
async function changing<Result>(
  { tools }: UserSession,
  change: (db: UserSession['tools']['db']) => Promise<Result>,
): Promise<Result> {
  try {
    return await change(tools.db);
  } finally {
    tools.facts.hintMail();
  }
}

export async function namespace(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.end();
  session.out.line(`* NAMESPACE (("" "${DELIMITER}")) NIL NIL`);
}

/** RFC 9208. All folders of a team share its storage. Without a limit there is no quota root. */
export async function getQuotaRoot(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const name = readFolderName(session, cursor);
  cursor.end();
  await requireFolder(session, name);
  const quota = await describeQuota(session);
  session.out.line(
    `* QUOTAROOT ${writeFolderName(session, name)}${quota === null ? '' : ` "${QUOTA_ROOT}"`}`,
  );
  if (quota !== null) session.out.line(quota);
}

export async function getQuota(session: UserSession, { cursor }: CommandInput): CommandResult {
  cursor.space();
  const root = cursor.astring();
  cursor.end();
  const quota = root === QUOTA_ROOT ? await describeQuota(session) : null;
  if (quota === null) throw new Refusal('NONEXISTENT', 'There is no quota root with this name');
  session.out.line(quota);
}

const QUOTA_ROOT = 'team';
/** The unit of STORAGE (RFC 9208 section 5.1). */
const QUOTA_UNIT = 1024;

/** Returns null for a team without a limit. */
async function describeQuota({ tools: { db, facts }, login }: UserSession): Promise<string | null> {
  const { usedBytes, limitBytes } = await getTeamStorage(db, login.teamId, facts.storage.defaultMb);
  if (limitBytes === null) return null;
  const used = Math.ceil(usedBytes / QUOTA_UNIT);
  return `* QUOTA "${QUOTA_ROOT}" (STORAGE ${used} ${Math.floor(limitBytes / QUOTA_UNIT)})`;
}
