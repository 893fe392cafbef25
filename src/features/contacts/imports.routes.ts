import { route, uploadRoute } from '../../platform/route.ts';
import { contactBookParams } from '../contact-books/contact-books.schema.ts';
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

const refusal = { line: 7, email: 'ada@', reason: 'email must be a mail address.' };
const example: ContactImport = {
  id: 'imp_01kbd8x4zvf7m8rk2q3w5t6y7h',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  status: 'DONE',
  consent: 'confirmed',
  consentNote: 'Signed the list at the harbour fair on 3 November 2026',
  confirmationsWaiting: 0,
  totalBytes: 61_240,
  doneBytes: 61_240,
  progress: 1,
  rows: 1_204,
  created: 1_200,
  updated: 3,
  refused: 1,
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
    group,
    summary: 'Import contacts from a CSV file',
    description:
      'The body is the file: CSV in UTF-8 with a header line, up to 1 GiB. It is taken in as it arrives and read afterwards; ask for the import to see how far it is. Fields are separated by commas, semicolons or tabs, as the header shows. `email`, `firstName`, `lastName` and `subscribed` are found under their usual names in any spelling ("E-mail", "First Name"); `subscribed` is true, false, yes, no, 1 or 0. Every other column becomes a property of its name, kept as text; before the name of a property that would be read as something else stands `property:`. The columns `unsubscribeReason` and `createdAt` of an export are left out. An empty cell is not sent. Each row does what adding a contact does: rows of known addresses update them, and nobody is brought back who has unsubscribed. In a book with double opt-in, `consent` says what happens to the rows; by default nobody is written to. A row that is not sound is refused alone, with its line and the reason.',
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
        'application/vnd.ms-excel', // What browsers on a machine with Excel call a CSV file.
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
    group,
    summary: 'List imports',
    description: 'Newest first. `refusals` is empty here; ask for one import to see them.',
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
    group,
    summary: 'Stop an import',
    description:
      'Rows that were stored before stay, and confirmations of this import that have not been sent yet are not sent. The import stays in the list as CANCELLED; stopping it again changes nothing. One that has finished and has no confirmations waiting is 409.',
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
    group,
    summary: 'List the rows that an import refused',
    description: 'In the order of the file. The first 100,000 of an import are kept.',
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
