import { route } from '../../api/route.ts';
import { renderBody } from '../mjml.ts';
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import { htmlToTextOffLoop } from '../../../mail/offload/html-to-text.ts';
import {
  contentPreviewAnswer,
  contentPreviewInput,
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
  alias: null,
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
  translations: null,
  contentSavedAt: '2026-11-15T09:30:00.000Z',
};
const params = { templateId: example.id };

export const templateRoutes = [
  route({
    operationId: 'createTemplate',
    method: 'POST',
    creates: 'templates',
    path: '/v1/templates',
    scope: 'templates.write',
    group,
    summary: 'Create a template',
    description:
      'Subject, html and text can contain merge tags: `{{name}}` and `{{name,fallback=text}}`. `{{contact.name}}` means the same as `{{name}}`. Values are encoded for the place they appear in: escaped in text and attributes, percent-encoded inside a URL. A value that is a whole link must use http, https or mailto, and in a `style` attribute only words, numbers and colours are allowed. A tag without a value and without a fallback is removed. `content` is the document of the email editor; html is generated from it unless you send html as well.',
    permission: 'full',
    role: 'member',
    errors: ['CONFLICT'],
    body: templateInput,
    answer: templateAnswer,
    example: {
      body: { name: example.name, subject: example.subject, html: example.html },
      answer: example,
    },
    prepare: ({ teamId, body }) => renderBody(teamId, body),
    handle: ({ db, caller, body }) => createTemplate(db, caller, body),
  }),
  route({
    operationId: 'previewContent',
    method: 'POST',
    path: '/v1/templates/preview',
    scope: 'templates.read',
    storesLittle: true,
    group,
    summary: 'Preview content',
    description:
      'Renders a document of the email editor, or HTML, as it is sent: with its merge tags, and with the text part that is generated from it. Nothing is stored.',
    permission: 'full',
    role: 'member',
    body: contentPreviewInput,
    answer: contentPreviewAnswer,
    example: {
      body: { content: '{"type":"doc","content":[]}' },
      answer: { html: '', text: '' },
    },
    async handle({ body }) {
      const html = body.html ?? (body.content && renderEditorHtml(body.content)) ?? '';
      return { html, text: await htmlToTextOffLoop(html) };
    },
  }),
  route({
    operationId: 'listTemplates',
    method: 'GET',
    path: '/v1/templates',
    scope: 'templates.read',
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
    scope: 'templates.read',
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
    scope: 'templates.write',
    group,
    summary: 'Update a template',
    description:
      'Only the fields you send are changed. `null` clears a field. If you send only `content`, html is generated again. If you send only html, `content` is cleared because it no longer matches. With `basedOn`, a template whose content someone else has changed in the meantime is not overwritten. Emails that were already accepted do not change.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: templateParams,
    body: templateUpdate,
    answer: templateAnswer,
    example: { params, body: { subject: example.subject }, answer: example },
    prepare: ({ teamId, body }) => renderBody(teamId, body),
    handle: ({ db, caller, params: { templateId }, body }) => updateTemplate(db, caller, templateId, body),
  }),
  route({
    operationId: 'deleteTemplate',
    method: 'DELETE',
    path: '/v1/templates/{templateId}',
    scope: 'templates.write',
    group,
    summary: 'Delete a template',
    description: 'Emails that were already accepted do not change.',
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
