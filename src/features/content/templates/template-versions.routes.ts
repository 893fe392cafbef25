import { versionRoutes } from '../versions/version-routes.ts';
import { templateAnswer } from './templates.schema.ts';
import { findTemplateKey, restoreTemplate } from './templates.ts';

const id = 'tpl_01kbd8x4zvf7m8rk2q3w5t6y7h';
const subject = 'Your order {{orderNumber}}';
const html = '<p>Dear {{firstName,fallback=reader}}</p>';

export const templateVersionRoutes = versionRoutes({
  noun: 'template',
  kept: 'Earlier versions of the subject and content, newest first. Each change stores a version.',
  restoring:
    'The subject and content of the version replace the current ones, which become a version themselves.',
  answer: templateAnswer,
  example: {
    id,
    version: {
      id: 'ver_01kbd8x4zvf7m8rk2q3w5t6y7h',
      subject,
      savedAt: '2026-11-15T09:30:00.000Z',
      replacedAt: '2026-11-16T14:05:00.000Z',
      savedBy: 'user:usr_01kbd8x4zvf7m8rk2q3w5t6y7h',
      savedByName: 'Ada Lovelace',
      previewText: null,
      html,
      text: null,
      translations: null,
      content: null,
      rendered: html,
      variants: null,
    },
    restored: {
      id,
      name: 'Order on its way',
      alias: null,
      subject,
      variables: ['orderNumber', 'firstName'],
      createdAt: '2026-11-15T09:30:00.000Z',
      updatedAt: '2026-11-17T08:00:00.000Z',
      html,
      content: null,
      text: null,
      translations: null,
      contentSavedAt: '2026-11-15T09:30:00.000Z',
    },
  },
  findOwner: async (db, { teamId }, templateId) => ({
    templateId: await findTemplateKey(db, teamId, templateId),
  }),
  restore: restoreTemplate,
});
