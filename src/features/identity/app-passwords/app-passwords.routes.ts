import { MAILBOX_ROUTE } from '../../api/mailbox-access.ts';
import { FileAnswer, route } from '../../api/route.ts';
import { mailboxParams } from '../../mailboxes/mailboxes/mailboxes.schema.ts';
import {
  appPasswordDeleted,
  appPasswordInput,
  appPasswordList,
  appPasswordParams,
  createdAppPassword,
  mailSettings,
} from './app-passwords.schema.ts';
import { getAppleProfile, getMailSettings } from './mail-settings.ts';
import { createAppPassword, listAppPasswords, revokeAppPassword } from './app-passwords.ts';

const path = '/v1/mailboxes/{id}/app-passwords';
const shared = {
  group: 'App passwords',
  ...MAILBOX_ROUTE,
  errors: ['NOT_FOUND'],
} satisfies Partial<Parameters<typeof route>[0]>;

/** The settings need the address of the mailbox. */
const settings = { ...shared, group: 'App passwords', method: 'GET' as const, params: mailboxParams };

const box = { id: 'mbx_01kbd8x4zvf7m8rk2q3w5t6y7h' };
const example = {
  id: 'apw_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Thunderbird on my laptop',
  created_at: '2026-11-15T09:30:00.000Z',
};

export const appPasswordRoutes = [
  route({
    ...shared,
    operationId: 'createAppPassword',
    method: 'POST',
    path,
    scope: 'none',
    summary: 'Create an app password',
    description:
      'Email apps use it to read and send the mail of this mailbox by IMAP, JMAP and SMTP. The user name is the address of the mailbox. The password is not shown again. A mailbox can have up to 100 app passwords. An app password that was created with an API key belongs to no person and works until it is revoked.',
    params: mailboxParams,
    body: appPasswordInput,
    answer: createdAppPassword,
    example: {
      params: box,
      body: { name: example.name },
      answer: { ...example, password: 'kavun-prest-hmdyc-wqabz' },
    },
    handle: ({ db, caller, params, body }) => createAppPassword(db, caller, params.id, body),
  }),
  route({
    ...shared,
    operationId: 'listAppPasswords',
    method: 'GET',
    path,
    scope: 'none',
    summary: 'List app passwords',
    description:
      'Newest first. Members see their own; owners, admins and API keys see all app passwords of the mailbox. The passwords themselves are never returned.',
    params: mailboxParams,
    answer: appPasswordList,
    example: {
      params: box,
      answer: {
        items: [
          {
            ...example,
            person: 'ada@example.com',
            last_used_at: '2026-11-16T08:12:00.000Z',
            last_used_from: '203.0.113.7',
          },
        ],
      },
    },
    handle: async ({ db, caller, params }) => ({ items: await listAppPasswords(db, caller, params.id) }),
  }),
  route({
    ...shared,
    operationId: 'revokeAppPassword',
    method: 'DELETE',
    path: `${path}/{appPasswordId}`,
    scope: 'none',
    summary: 'Revoke an app password',
    description: 'It stops working within a second, and apps that are connected with it are disconnected.',
    params: appPasswordParams,
    answer: appPasswordDeleted,
    example: { params: { ...box, appPasswordId: example.id }, answer: { id: example.id, success: true } },
    async handle({ db, caller, params }) {
      await revokeAppPassword(db, caller, params.id, params.appPasswordId);
      return { id: params.appPasswordId, success: true };
    },
  }),
  route({
    ...settings,
    operationId: 'getMailSettings',
    path: '/v1/mailboxes/{id}/mail-settings',
    scope: 'none',
    summary: 'Get the settings for email apps',
    description:
      'Host, ports and user name for IMAP and SMTP, and the URL for JMAP. The password is an app password.',
    answer: mailSettings,
    example: {
      params: box,
      answer: {
        user: 'ada@example.com',
        imap: [
          { host: 'mail.example.com', port: 993, security: 'TLS' },
          { host: 'mail.example.com', port: 143, security: 'STARTTLS' },
        ],
        smtp: [
          { host: 'mail.example.com', port: 465, security: 'TLS' },
          { host: 'mail.example.com', port: 587, security: 'STARTTLS' },
        ],
        jmap: 'https://mail.example.com/.well-known/jmap',
      },
    },
    handle: ({ db, caller, facts, params }) => getMailSettings(db, caller, facts, params.id),
  }),
  route({
    ...settings,
    operationId: 'getAppleProfile',
    path: '/v1/mailboxes/{id}/apple-profile',
    scope: 'none',
    summary: 'Get a profile for iPhone, iPad and Mac',
    description:
      'A configuration profile with the settings of the mailbox. The device asks for the app password.',
    answer: 'application/x-apple-aspen-config',
    example: { params: box, answer: '<?xml version="1.0" encoding="UTF-8"?>…' },
    async handle({ db, caller, facts, params }) {
      const { fileName, profile } = await getAppleProfile(db, caller, facts, params.id);
      return new FileAnswer('application/x-apple-aspen-config', fileName, oneChunk(profile));
    },
  }),
];

async function* oneChunk(text: string): AsyncGenerator<string> {
  yield text;
}
