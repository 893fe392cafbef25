import { route } from '../../api/route.ts';
import { getVersion, listVersions } from '../versions/versions.ts';
import { versionId, versionPage, versionQuery, versionSchema } from '../versions/versions.schema.ts';
import { templateAnswer, templateParams, type Template } from './templates.schema.ts';
import { findTemplateKey, restoreTemplate } from './templates.ts';

const shared = {
  group: 'Templates',
  permission: 'full',
  role: 'member',
  errors: ['NOT_FOUND'],
} as const;

const listed = {
  id: 'ver_01kbd8x4zvf7m8rk2q3w5t6y7h',
  subject: 'Your order {{orderNumber}}',
  savedAt: '2026-11-15T09:30:00.000Z',
  replacedAt: '2026-11-16T14:05:00.000Z',
};
const html = '<p>Dear {{firstName,fallback=reader}}</p>';
const params = { templateId: 'tpl_01kbd8x4zvf7m8rk2q3w5t6y7h', versionId: listed.id };
const ofTemplate: Template = {
  id: params.templateId,
  name: 'Order on its way',
  alias: null,
  subject: listed.subject,
  variables: ['orderNumber', 'firstName'],
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-17T08:00:00.000Z',
  html,
  content: null,
  text: null,
};
const versionParams = templateParams.extend({ versionId });

export const templateVersionRoutes = [
  route({
    ...shared,
    operationId: 'listTemplateVersions',
    method: 'GET',
    path: '/v1/templates/{templateId}/versions',
    summary: 'List the versions of a template',
    description:
      'What the template contained before each change of its subject or content, newest first. Versions are kept for 30 days, and at most 100.',
    params: templateParams,
    query: versionQuery,
    answer: versionPage,
    example: { params: { templateId: params.templateId }, answer: { items: [listed], next_cursor: null } },
    handle: async ({ db, teamId, params: { templateId }, query }) =>
      listVersions(db, teamId, { templateId: await findTemplateKey(db, teamId, templateId) }, query),
  }),
  route({
    ...shared,
    operationId: 'getTemplateVersion',
    method: 'GET',
    path: '/v1/templates/{templateId}/versions/{versionId}',
    summary: 'Get a version of a template',
    params: versionParams,
    answer: versionSchema,
    example: {
      params,
      answer: { ...listed, previewText: null, html, text: null, content: null, rendered: html },
    },
    handle: async ({ db, teamId, params: { templateId, versionId: id } }) =>
      getVersion(db, teamId, { templateId: await findTemplateKey(db, teamId, templateId) }, id),
  }),
  route({
    ...shared,
    operationId: 'restoreTemplateVersion',
    method: 'POST',
    path: '/v1/templates/{templateId}/versions/{versionId}/restore',
    summary: 'Restore a version of a template',
    description:
      'The subject and content of the version replace the current ones, which become a version themselves.',
    params: versionParams,
    answer: templateAnswer,
    example: { params, answer: ofTemplate },
    handle: ({ db, teamId, params: { templateId, versionId: id } }) =>
      restoreTemplate(db, teamId, templateId, id),
  }),
];
