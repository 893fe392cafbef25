import { route } from '../../api/route.ts';
import { renderEmbedHtml } from './embed-html.ts';
import { embedScriptTags } from './embed-script.ts';
import {
  formAnswer,
  formDeleted,
  formInput,
  formPage,
  formParams,
  formQuery,
  formUpdate,
  type Form,
} from './forms.schema.ts';
import { createForm, deleteForm, getForm, listForms, updateForm } from './forms.ts';

const group = 'Forms';

const id = 'frm_01kbd8x4zvf7m8rk2q3w5t6y7h';
const url = `https://mail.example.com/f/${id}`;
const fields = [
  { name: 'email', label: null, required: true },
  { name: 'firstName', label: 'Your name', required: false },
];
const texts = {
  title: 'Harbour news',
  description: 'One letter a month.',
  button: null,
  note: null,
  thankYouTitle: null,
  thankYou: null,
};
const example: Form = {
  id,
  name: 'Home page',
  contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h',
  fields,
  topicIds: ['top_01kbd8x4zvf7m8rk2q3w5t6y7h'],
  texts,
  colors: { background: null, text: null, button: '#0b5d3b', buttonText: '#ffffff' },
  redirectUrl: null,
  language: null,
  url,
  embedHtml: renderEmbedHtml({ url, fields, texts, language: null }),
  embedScripts: embedScriptTags(url),
  counts: { views: 1204, signups: 86, confirmed: 71 },
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const { name, contactBookId, topicIds } = example;
const params = { formId: id };

const ABOUT_SIGN_UPS =
  'The form has a page (`url`), and `embedHtml` is the same form for other sites. Both send `email` and the other fields as a form to `url`, without a key. The response is a page or a redirect to `redirectUrl`. With `Accept: application/json` it is JSON, which scripts of any site can read. It is the same for every valid address, known or not. A sign-up adds a contact like `POST …/contacts`, but does not change the existing data of a known contact. People who unsubscribed, or left one of the topics, must confirm by email first, with and without double opt-in.';

export const formRoutes = [
  route({
    operationId: 'createForm',
    method: 'POST',
    creates: 'forms',
    path: '/v1/forms',
    scope: 'contacts.write',
    group,
    summary: 'Create a sign-up form',
    description: ABOUT_SIGN_UPS,
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    body: formInput,
    answer: formAnswer,
    example: {
      body: {
        name,
        contactBookId,
        fields: ['email', { name: 'firstName', label: 'Your name' }],
        topicIds,
        texts: { title: texts.title, description: texts.description },
        colors: { button: '#0b5d3b', buttonText: '#ffffff' },
      },
      answer: example,
    },
    handle: ({ db, teamId, facts, body }) => createForm(db, teamId, facts.baseUrl, body),
  }),
  route({
    operationId: 'listForms',
    method: 'GET',
    path: '/v1/forms',
    scope: 'contacts.read',
    group,
    summary: 'List sign-up forms',
    description: 'Newest first.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    query: formQuery,
    answer: formPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, facts, query }) => listForms(db, teamId, facts.baseUrl, query),
  }),
  route({
    operationId: 'getForm',
    method: 'GET',
    path: '/v1/forms/{formId}',
    scope: 'contacts.read',
    group,
    summary: 'Get a sign-up form',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: formParams,
    answer: formAnswer,
    example: { params, answer: example },
    handle: ({ db, teamId, facts, params: { formId } }) => getForm(db, teamId, facts.baseUrl, formId),
  }),
  route({
    operationId: 'updateForm',
    method: 'PATCH',
    path: '/v1/forms/{formId}',
    scope: 'contacts.write',
    group,
    summary: 'Update a sign-up form',
    description:
      'Only the fields you send are changed. `texts` and `colors` are merged key by key. `null` resets a field to its default.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: formParams,
    body: formUpdate,
    answer: formAnswer,
    example: { params, body: { texts: { title: texts.title } }, answer: example },
    handle: ({ db, teamId, facts, params: { formId }, body }) =>
      updateForm(db, teamId, facts.baseUrl, formId, body),
  }),
  route({
    operationId: 'deleteForm',
    method: 'DELETE',
    path: '/v1/forms/{formId}',
    scope: 'contacts.write',
    group,
    summary: 'Delete a sign-up form',
    description: 'Its page stops working immediately. Contacts who signed up with it stay.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: formParams,
    answer: formDeleted,
    example: { params, answer: { id, success: true } },
    async handle({ db, teamId, params: { formId } }) {
      await deleteForm(db, teamId, formId);
      return { id: formId, success: true };
    },
  }),
];
