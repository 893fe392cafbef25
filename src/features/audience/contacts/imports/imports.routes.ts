import { route, uploadRoute } from '../../../api/route.ts';
import { contactBookParams } from '../../contact-books/contact-books.schema.ts';
import { WRITTEN_OWN_FIELDS } from '../../own-fields/own-fields.ts';
import { receiveUpload, startImport } from './import-upload.ts';
import {
  importInput,
  importPage,
  importParams,
  importQuery,
  importSchema,
  refusalPage,
  type ContactImport,
} from './imports.schema.ts';
import { cancelImport } from './cancel-import.ts';
import { getImport, listImports, listRefusals } from './imports.ts';

const group = 'Contacts';
const FILE_LIMIT = 1024 * 1024 * 1024;

const refusal = { line: 7, email: 'ada@', reason: 'email must be a valid email address.' };
const example: ContactImport = {
  id: 'imp_01kbd8x4zvf7m8rk2q3w5t6y7h',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  status: 'DONE',
  consent: 'confirmed',
  consentNote: 'Signed up at the harbour fair on 3 November 2026',
  confirmationsWaiting: 0,
  totalBytes: 61_240,
  doneBytes: 61_240,
  progress: 1,
  rows: 1_204,
  created: 1_200,
  updated: 3,
  refused: 1,
  unsubscribed: 12,
  columns: [
    { name: 'Email', importedAs: 'email', property: null },
    { name: 'City', importedAs: 'property', property: 'City' },
    { name: 'Opted out?', importedAs: 'unsubscribed', property: null },
  ],
  refusals: [refusal],
  error: null,
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:02.000Z',
  finishedAt: '2026-11-15T09:30:02.000Z',
};
const started: ContactImport = {
  ...example,
  status: 'PENDING',
  doneBytes: 0,
  progress: 0,
  rows: 0,
  created: 0,
  updated: 0,
  refused: 0,
  unsubscribed: 0,
  columns: [],
  refusals: [],
  updatedAt: example.createdAt,
  finishedAt: null,
};
const bookParams = { contactBookId: example.contactBookId };
const params = { ...bookParams, importId: example.id };

export const importRoutes = [
  uploadRoute({
    operationId: 'createContactImport',
    method: 'POST',
    creates: 'contactImports',
    path: '/v1/contactBooks/{contactBookId}/imports',
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Import contacts from a CSV file',
    description:
      'Send the file as the request body: CSV in UTF-8 with a header row, up to 1 GiB. The file is stored first and imported in the background; get the import to see its progress. Fields can be separated by commas, semicolons or tabs; the separator is detected from the header row. Columns for `email`, ' +
      WRITTEN_OWN_FIELDS +
      ' are recognised by their common names ("E-mail", "First Name"), and so are columns that say who has left: `unsubscribed` ("Opted out?", "UNSUB_TIME", "cleaned": yes, no or the time), its opposite `subscribed`, and `status` ("Status": subscribed, unsubscribed, cleaned, bounced, pending and the like). People who have left are stored as unsubscribed. So are new people who have not confirmed ("pending"), while a contact that exists keeps its subscription. A row whose value is not understood is rejected. A column "Status" with other values is a property. Every other column becomes a text property and a variable of the contact book: "City" becomes `City`, "Sign-up date" becomes `Sign_up_date`. Names of properties are case-insensitive. Use the prefix `property:` for a property with exactly the name that follows. `columns` of the import shows how each column was read. The columns `unsubscribeReason` and `createdAt` of an export are ignored. Empty cells are ignored. Each row works like adding a contact: existing contacts are updated, and people who have unsubscribed stay unsubscribed. In a book with double opt-in, `consent` decides what happens to new contacts; by default they get no email. An invalid row is rejected with its line number and the reason, and the other rows are still imported.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    query: importInput,
    upload: {
      contentType: 'text/csv',
      alsoTaken: [
        'text/plain',
        'application/csv',
        'application/octet-stream',
        'application/vnd.ms-excel', // Browsers send this for CSV files on computers with Excel.
      ],
      example: 'Email,First Name,City\nada@example.com,Ada,London\n',
    },
    bodyLimitBytes: FILE_LIMIT,
    answer: importSchema,
    example: {
      params: bookParams,
      query: { mapping: '{"City":"town"}', consent: 'confirmed', consentNote: example.consentNote! },
      answer: started,
    },
    receive: ({ db, teamId, caller, params: { contactBookId }, query, body }) =>
      receiveUpload(db, teamId, contactBookId, query, body, caller.by),
    handle: ({ db, teamId, params: { contactBookId }, body: id }) =>
      startImport(db, teamId, contactBookId, id),
  }),
  route({
    operationId: 'listContactImports',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/imports',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group,
    summary: 'List imports',
    description: 'Newest first. `refusals` is empty in this list. Get a single import to see them.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: contactBookParams,
    query: importQuery,
    answer: importPage,
    example: { params: bookParams, answer: { items: [{ ...example, refusals: [] }], next_cursor: null } },
    handle: ({ db, teamId, params: { contactBookId }, query }) =>
      listImports(db, teamId, contactBookId, query),
  }),
  route({
    operationId: 'getContactImport',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/imports/{importId}',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group,
    summary: 'Get an import',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: importParams,
    answer: importSchema,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { contactBookId, importId } }) =>
      getImport(db, teamId, contactBookId, importId),
  }),
  route({
    operationId: 'cancelContactImport',
    method: 'DELETE',
    path: '/v1/contactBooks/{contactBookId}/imports/{importId}',
    boundKeys: 'kept-to-book',
    scope: 'contacts.write',
    group,
    summary: 'Stop an import',
    description:
      'Contacts that are already imported stay in the book. Confirmation emails of this import that have not been sent yet are cancelled. The import stays in the list as CANCELLED. Stopping it again has no effect. An import that has finished and has no waiting confirmation emails returns 409.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: importParams,
    answer: importSchema,
    example: {
      params,
      answer: { ...example, status: 'CANCELLED', doneBytes: 30_620, progress: 0.5, rows: 602, created: 598 },
    },
    handle: ({ db, teamId, params: { contactBookId, importId } }) =>
      cancelImport(db, teamId, contactBookId, importId),
  }),
  route({
    operationId: 'listContactImportRefusals',
    method: 'GET',
    path: '/v1/contactBooks/{contactBookId}/imports/{importId}/refusals',
    boundKeys: 'kept-to-book',
    scope: 'contacts.read',
    group,
    summary: 'List the rejected rows of an import',
    description: 'In file order. The first 100,000 rejected rows of an import are kept.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: importParams,
    query: importQuery,
    answer: refusalPage,
    example: { params, answer: { items: [refusal], next_cursor: null } },
    handle: ({ db, teamId, params: { contactBookId, importId }, query }) =>
      listRefusals(db, teamId, contactBookId, importId, query),
  }),
];
