import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { route } from '../../api/route.ts';
import { mailboxParams } from '../mailboxes/mailboxes.schema.ts';
import { exampleFolder, exampleThread } from './examples.ts';
import { addFolder, changeFolder, countFolders, getFolder, removeFolder } from './folders.ts';
import { folderDeleted, folderInput, folderList, folderParams, folderShape } from './threads.schema.ts';

const common = {
  group: 'Threads',
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
} as const;
const mailbox = { id: exampleThread.mailbox_id };
const folderPath = { ...mailbox, folderId: exampleFolder.id };

export const folderRoutes = [
  route({
    ...common,
    operationId: 'listFolders',
    method: 'GET',
    path: '/v1/mailboxes/{id}/folders',
    scope: 'mail.read',
    summary: 'List folders',
    description:
      'The standard folders and the views `sent`, `drafts` and `scheduled`, then your own folders by name.',
    params: mailboxParams,
    answer: folderList,
    example: {
      params: mailbox,
      answer: {
        items: [{ folder: 'inbox', id: 'inbox', name: 'INBOX', role: 'inbox', unread: 2, total: 14 }],
      },
    },
    handle: async ({ db, caller, params: { id } }) => ({ items: await countFolders(db, caller, id) }),
  }),
  route({
    ...common,
    operationId: 'createFolder',
    method: 'POST',
    path: '/v1/mailboxes/{id}/folders',
    scope: 'mail.labels',
    summary: 'Create a folder',
    description:
      'Use a slash to create a folder inside another. A mailbox can have at most 1,000 folders. If the name is taken, the response is 409.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: mailboxParams,
    body: folderInput,
    answer: folderShape,
    example: { params: mailbox, body: { name: exampleFolder.name }, answer: exampleFolder },
    async handle({ db, caller, facts, params: { id }, body }) {
      const folder = await addFolder(db, caller, id, body.name);
      facts.hintMail();
      return folder;
    },
  }),
  route({
    ...common,
    operationId: 'getFolder',
    method: 'GET',
    path: '/v1/mailboxes/{id}/folders/{folderId}',
    scope: 'mail.read',
    summary: 'Get a folder',
    params: folderParams,
    answer: folderShape,
    example: { params: folderPath, answer: exampleFolder },
    handle: ({ db, caller, params: { id, folderId } }) => getFolder(db, caller, id, folderId),
  }),
  route({
    ...common,
    operationId: 'renameFolder',
    method: 'PATCH',
    path: '/v1/mailboxes/{id}/folders/{folderId}',
    scope: 'mail.labels',
    summary: 'Rename a folder',
    description:
      'The messages stay in the folder, and the folders inside it are renamed as well. Standard folders cannot be renamed.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: folderParams,
    body: folderInput,
    answer: folderShape,
    example: { params: folderPath, body: { name: exampleFolder.name }, answer: exampleFolder },
    async handle({ db, caller, facts, params: { id, folderId }, body }) {
      const folder = await changeFolder(db, caller, id, folderId, body.name);
      facts.hintMail();
      return folder;
    },
  }),
  route({
    ...common,
    operationId: 'deleteFolder',
    method: 'DELETE',
    path: '/v1/mailboxes/{id}/folders/{folderId}',
    scope: 'mail.labels',
    summary: 'Delete a folder',
    description:
      'Deletes the folders inside it as well. Their messages are moved to the trash. Standard folders cannot be deleted.',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: folderParams,
    answer: folderDeleted,
    example: { params: folderPath, answer: { id: exampleFolder.id, success: true } },
    async handle({ db, caller, facts, params: { id, folderId } }) {
      await removeFolder(db, caller, id, folderId);
      facts.hintMail();
      return { id: folderId, success: true };
    },
  }),
];
