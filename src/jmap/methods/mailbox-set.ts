/** Mailbox/set (RFC 8621 section 2.5). */
import {
  createFolder,
  deleteFolder,
  renameFolder,
  setSortOrder,
  setSubscribed,
} from '../../features/mailboxes/storage/change-folders.ts';
import { AppError } from '../../platform/errors.ts';
import { notFound, resolveId, runSet, withoutSent } from '../calls/set-objects.ts';
import { invalidProperties, ObjectError, type Arguments, type MethodContext } from '../calls/tools.ts';
import { presentMailboxes, readMailboxes, type MailboxObject } from './mailbox-objects.ts';
import { mailState } from './mailbox-read.ts';

const SETTABLE = ['name', 'parentId', 'role', 'sortOrder', 'isSubscribed'];
const MAX_SORT_ORDER = 2 ** 31 - 1;

export async function setMailboxes(context: MethodContext, args: Arguments): Promise<Arguments> {
  const removesEmails = args.onDestroyRemoveEmails === true;
  const { response, created, updated, destroyed } = await runSet(context, args, {
    readState: () => mailState(context),
    create: (input) => create(context, input),
    update: (id, patch) => update(context, id, patch),
    destroy: (id) => destroy(context, id, removesEmails),
  });
  if (created.size + updated.size + destroyed.size > 0) context.tools.facts.hintMail();
  return response;
}

interface MailboxInput {
  name?: string;
  parentId?: string | null;
  sortOrder?: number;
  isSubscribed?: boolean;
}

function readInput(context: MethodContext, input: Arguments, current: MailboxObject | null): MailboxInput {
  const unknown = Object.keys(input).filter((property) => !SETTABLE.includes(property));
  if (unknown.length > 0) throw invalidProperties(unknown.slice(0, 20), 'These properties cannot be set.');
  const { name, parentId, role, sortOrder, isSubscribed } = input;
  if (role !== undefined && role !== (current?.role ?? null))
    throw invalidProperties(
      ['role'],
      'The role of a mailbox cannot be set. The mailboxes with a role already exist.',
    );
  const isName = typeof name === 'string' && name !== '' && !name.includes('/');
  if (name !== undefined && !isName)
    throw invalidProperties(['name'], 'A name must be a string without slashes, and not empty.');
  if (parentId !== undefined && parentId !== null && typeof parentId !== 'string')
    throw invalidProperties(['parentId'], 'parentId must be an id or null.');
  const isOrder =
    Number.isSafeInteger(sortOrder) && Number(sortOrder) >= 0 && Number(sortOrder) <= MAX_SORT_ORDER;
  if (sortOrder !== undefined && !isOrder)
    throw invalidProperties(['sortOrder'], 'sortOrder must be a whole number.');
  if (isSubscribed !== undefined && typeof isSubscribed !== 'boolean')
    throw invalidProperties(['isSubscribed'], 'isSubscribed must be true or false.');
  return {
    ...(name === undefined ? {} : { name }),
    ...(parentId === undefined ? {} : { parentId: parentId === null ? null : resolveId(context, parentId) }),
    ...(sortOrder === undefined ? {} : { sortOrder: sortOrder as number }),
    ...(isSubscribed === undefined ? {} : { isSubscribed }),
  };
}

async function create(context: MethodContext, rawInput: Arguments): Promise<Arguments & { id: string }> {
  const { db } = context.tools;
  const input = readInput(context, rawInput, null);
  if (input.name === undefined) throw invalidProperties(['name'], 'A mailbox must have a name.');
  const all = await readMailboxes(context);
  const fullName = nameIn(all, input.parentId ?? null, input.name);
  refuseTaken(all, fullName, null);
  const folder = await createFolder(db, context.login, fullName).catch(nameError);
  if (input.sortOrder !== undefined) await setSortOrder(db, context.login, folder.id, input.sortOrder);
  if (input.isSubscribed !== undefined) await setSubscribed(db, context.login, folder.id, input.isSubscribed);
  const made = (await readMailboxes(context)).filter(({ id }) => id === folder.id);
  const [shown = {}] = await presentMailboxes(context, made, ['id']);
  return withoutSent({ ...shown, id: folder.id }, rawInput);
}

function nameIn(all: readonly MailboxObject[], parentId: string | null, name: string): string {
  if (parentId === null) return name;
  const parent = all.find(({ id }) => id === parentId);
  if (!parent) throw invalidProperties(['parentId'], 'The parent does not exist.');
  return `${parent.folder.name}/${name}`;
}

function refuseTaken(all: readonly MailboxObject[], fullName: string, ownId: string | null): void {
  const taken = all.find(
    ({ id, folder }) =>
      id !== ownId && folder.name.toLowerCase() === fullName.toLowerCase() && folder.name === fullName,
  );
  const isInbox = fullName.toLowerCase() === 'inbox' && ownId !== 'inbox';
  if (!taken && !isInbox) return;
  throw new ObjectError('alreadyExists', 'A mailbox with this name exists.', {
    existingId: taken?.id ?? 'inbox',
  });
}

function nameError(error: unknown): never {
  if (error instanceof AppError && error.code === 'CONFLICT')
    throw new ObjectError('alreadyExists', error.message);
  if (error instanceof AppError && error.code === 'BAD_REQUEST')
    throw invalidProperties(['name'], error.message);
  throw error;
}

async function update(context: MethodContext, id: string, patch: Arguments): Promise<null> {
  const { tools, login } = context;
  const all = await readMailboxes(context);
  const current = all.find((mailbox) => mailbox.id === id);
  if (!current) throw notFound();
  const input = readInput(context, patch, current);
  const name = input.name ?? current.name;
  const parentId = input.parentId === undefined ? current.parentId : input.parentId;
  if (name !== current.name || parentId !== current.parentId) {
    if (current.role !== null)
      throw new ObjectError('forbidden', 'A mailbox with a role cannot be renamed or moved.');
    const fullName = nameIn(all, parentId, name);
    refuseTaken(all, fullName, id);
    await renameFolder(tools.db, login, id, fullName).catch(nameError);
  }
  if (input.sortOrder !== undefined) await setSortOrder(tools.db, login, id, input.sortOrder);
  if (input.isSubscribed !== undefined) await setSubscribed(tools.db, login, id, input.isSubscribed);
  return null;
}

/** The messages of the folder go to the trash, as in webmail and IMAP (decision 26). */
async function destroy(context: MethodContext, id: string, removesEmails: boolean): Promise<void> {
  const all = await readMailboxes(context);
  const current = all.find((mailbox) => mailbox.id === id);
  if (!current) throw notFound();
  if (current.role !== null) throw new ObjectError('forbidden', 'A mailbox with a role cannot be destroyed.');
  if (all.some(({ parentId }) => parentId === id))
    throw new ObjectError('mailboxHasChild', 'Other mailboxes are inside this one. Destroy them first.');
  if (current.folder.messages > 0 && !removesEmails)
    throw new ObjectError('mailboxHasEmail', 'There are messages in this mailbox.');
  await deleteFolder(context.tools.db, context.login, id);
}
