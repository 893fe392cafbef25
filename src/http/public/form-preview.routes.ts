/** Serves the page of an unsaved form to the dashboard. It is here because this folder renders the pages. */
import { formPreview, formPreviewInput } from '../../features/audience/forms/forms.schema.ts';
import { draftForm } from '../../features/audience/forms/forms.ts';
import { toPublicForm } from '../../features/audience/forms/public-form.ts';
import { route } from '../../features/api/route.ts';
import { EMPTY, renderFormPage } from './form-page.ts';
import { findLook } from './look.ts';
import { chooseLanguage } from './texts.ts';

export const formPreviewRoutes = [
  route({
    operationId: 'previewForm',
    method: 'POST',
    path: '/v1/forms/preview',
    scope: 'contacts.read',
    group: 'Forms',
    summary: 'Preview a sign-up form',
    description: 'Returns the page of a form with these settings. Nothing is stored.',
    permission: 'full',
    role: 'member',
    errors: ['NOT_FOUND'],
    body: formPreviewInput,
    answer: formPreview,
    example: {
      body: { contactBookId: 'cbk_01kbd8x4zvf7m8rk2q3w5t6y7h', texts: { title: 'Harbour news' } },
      answer: { html: '<!doctype html>…' },
    },
    async handle({ db, teamId, body, header }) {
      const form = toPublicForm(await draftForm(db, teamId, body));
      const language = form.language ?? chooseLanguage(header('accept-language'));
      return { html: renderFormPage(form, { language, look: await findLook(db, teamId) }, EMPTY) };
    },
  }),
];
