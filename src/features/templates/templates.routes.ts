import { route } from '../../platform/route.ts';
import {
  templateAnswer,
  templateDeleted,
  templateInput,
  templatePage,
  templateParams,
  templateQuery,
  templateUpdate,
  type Template,
  type TemplateListItem,
} from './templates.schema.ts';
import { createTemplate, deleteTemplate, getTemplate, listTemplates, updateTemplate } from './templates.ts';

const group = 'Templates';

const listed: TemplateListItem = {
  id: 'tpl_01kbd8x4zvf7m8rk2q3w5t6y7h',
  name: 'Order on its way',
  subject: 'Your order {{orderNumber}}',
  variables: ['orderNumber', 'firstName'],
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-15T09:30:00.000Z',
};
const example: Template = {
  ...listed,
  html: '<p>Dear {{firstName,fallback=reader}}, it is on its way.</p>',
  content: null,
  text: null,
};
const params = { templateId: example.id };

export const templateRoutes = [
  route({
    operationId: 'createTemplate',
    method: 'POST',
    creates: 'templates',
    path: '/v1/templates',
    group,
    summary: 'Create a template',
    description:
      'Merge tags are `{{name}}` and `{{name,fallback=text}}`, in subject, html and text; `{{contact.name}}` is another spelling of `{{name}}`. Values are encoded by their place: escaped between tags and in attributes, percent-encoded inside a URL. As a whole link only http, https and mailto are put in, and in a `style` only words, numbers and colours. A tag without a value and without a fallback leaves nothing behind. Of `content`, the document of the email editor, html is made, unless it is given as well.',
    permission: 'full',
    role: 'member',
    body: templateInput,
    answer: templateAnswer,
    example: {
      body: { name: example.name, subject: example.subject, html: example.html },
      answer: example,
    },
    handle: ({ db, teamId, body }) => createTemplate(db, teamId, body),
  }),
  route({
    operationId: 'listTemplates',
    method: 'GET',
    path: '/v1/templates',
    group,
    summary: 'List templates',
    description: 'Newest first, without their content.',
    permission: 'full',
    role: 'member',
    query: templateQuery,
    answer: templatePage,
    example: { answer: { items: [listed], next_cursor: null } },
    handle: ({ db, teamId, query }) => listTemplates(db, teamId, query),
  }),
  route({
    operationId: 'getTemplate',
    method: 'GET',
    path: '/v1/templates/{templateId}',
    group,
    summary: 'Get a template',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: templateParams,
    answer: templateAnswer,
    example: { params, answer: example },
    handle: ({ db, teamId, params: { templateId } }) => getTemplate(db, teamId, templateId),
  }),
  route({
    operationId: 'updateTemplate',
    method: 'PATCH',
    path: '/v1/templates/{templateId}',
    group,
    summary: 'Update a template',
    description:
      'Replaces what it names; `null` clears. With `content` alone html is made anew; with html alone `content` is cleared, because it no longer tells what is sent. Mail that was accepted before stays as it is.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: templateParams,
    body: templateUpdate,
    answer: templateAnswer,
    example: { params, body: { subject: example.subject }, answer: example },
    handle: ({ db, teamId, params: { templateId }, body }) => updateTemplate(db, teamId, templateId, body),
  }),
  route({
    operationId: 'deleteTemplate',
    method: 'DELETE',
    path: '/v1/templates/{templateId}',
    group,
    summary: 'Delete a template',
    description: 'Mail that was accepted before stays as it is.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    params: templateParams,
    answer: templateDeleted,
    example: { params, answer: { id: example.id, success: true } },
    async handle({ db, teamId, params: { templateId } }) {
      await deleteTemplate(db, teamId, templateId);
      return { id: templateId, success: true };
    },
  }),
];
