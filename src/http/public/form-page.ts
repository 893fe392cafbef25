/** Renders the pages of a sign-up form. */
import { HONEYPOT_FIELD } from '../../features/audience/forms/embed-html.ts';
import { inputAttributesOf, labelOf } from '../../features/audience/forms/form-fields.ts';
import { STAMP_FIELD } from '../../features/audience/forms/form-stamp.ts';
import { formTextsIn } from '../../features/audience/forms/form-texts.ts';
import type { FormField } from '../../features/audience/forms/forms.schema.ts';
import type { PublicForm } from '../../features/audience/forms/public-form.ts';
import type { Problems } from '../../features/audience/forms/read-sign-up.ts';
import { directionOfText, type TextDirection } from '../../mail/html/text-direction.ts';
import { markup, type Markup } from '../pages/markup.ts';
import { renderFormColors } from './form-colors.ts';
import { PLAIN, type Look } from './look.ts';
import { publicHeaders, renderPage } from './page.ts';
import type { View } from './pages.ts';
import type { Language } from './texts.ts';

const STYLE = `
form { gap: 1rem; }
.text { white-space: pre-line; }
.field { display: grid; gap: .35rem; }
.field label { display: block; padding: 0; font-weight: 500; }
.field label span { font-weight: 400; }
.field input {
  width: 100%; height: auto; margin: 0; padding: .6rem .75rem; border: 1px solid var(--soft); border-radius: 8px;
  background: var(--field, var(--paper)); color: var(--ink); font: inherit;
}
[dir=rtl] .field input[type=email] { direction: ltr; text-align: right; }
.field input[aria-invalid] { border-color: var(--delete); box-shadow: 0 0 0 1px var(--delete); }
.problem { margin: 0; color: var(--delete); font-size: .9rem; }
.note { margin: 0; color: var(--soft); font-size: .875rem; white-space: pre-line; }
.trap { position: absolute; inset-inline-start: -9999px; }
`;

export type FormMessage = 'unreadable' | 'expired' | 'tooMany';

interface FormState {
  /** The submitted values. */
  valueOf(name: string): string;
  problems: Problems;
  /** Concerns the whole form. */
  message: FormMessage | null;
  /** Null in a preview. */
  stamp: string | null;
}

export const EMPTY: FormState = { valueOf: () => '', problems: new Map(), message: null, stamp: null };

/** Any site may show the form in a frame. Browsers apply form-action to the redirect after the form too. */
export function formHeaders(form?: PublicForm, brand = PLAIN): Record<string, string> {
  const formAction = form?.redirectUrl ? "'self' http: https:" : "'self'";
  return publicHeaders({ look: form ? lookOfForm(form, brand) : PLAIN, formAction, frameAncestors: '*' });
}

export function renderFormPage(form: PublicForm, { language, look }: View, state: FormState): string {
  const defaults = formTextsIn(language);
  const { title, description, note, button } = form.texts;
  const isRequiredOnly = form.fields.every(({ required }) => required);
  const fields = form.fields.map((field) => renderField(field, language, state, !isRequiredOnly));
  const stamp =
    state.stamp === null ? null : markup`<input type="hidden" name="${STAMP_FIELD}" value="${state.stamp}">`;
  const body = markup`${description === null ? null : markup`<p class="text">${description}</p>`}
<form method="post" accept-charset="utf-8">
${state.message && markup`<p class="problem" role="alert">${defaults[state.message]}</p>`}
${fields}
<div class="trap" aria-hidden="true"><label>${defaults.leaveEmpty} <input type="text" name="${HONEYPOT_FIELD}" tabindex="-1" autocomplete="off"></label></div>
${stamp}<button type="submit">${button ?? defaults.button}</button>
${note === null ? null : markup`<p class="note">${note}</p>`}
</form>`;
  return renderPage(
    language,
    title ?? defaults.title.replace('{book}', () => form.bookName),
    body,
    lookOfForm(form, look),
    { direction: directionOfForm(form) },
  );
}

export function renderThankYou(form: PublicForm, { language, look }: View): string {
  const { title, text } = thankYouTexts(form, language);
  return renderPage(language, title, markup`<p class="text">${text}</p>`, lookOfForm(form, look), {
    direction: directionOfText(`${title} ${text}`),
  });
}

export function thankYouTexts({ texts, doubleOptInEnabled }: PublicForm, language: Language) {
  const defaults = formTextsIn(language);
  const text = doubleOptInEnabled ? defaults.confirmByMail : defaults.subscribed;
  return { title: texts.thankYouTitle ?? defaults.thankYouTitle, text: texts.thankYou ?? text };
}

export function renderFormGone(language: Language): string {
  const { goneTitle, gone } = formTextsIn(language);
  return renderPage(language, goneTitle, markup`<p>${gone}</p>`);
}

/** The direction of what the team wrote. A form without texts of its own is in the language of the page. */
function directionOfForm({ texts, fields }: PublicForm): TextDirection | null {
  const { title, description, button } = texts;
  return directionOfText([title, description, button, ...fields.map(({ label }) => label)].join(' '));
}

/** The colours of the form come before those of the brand. */
function lookOfForm({ colors }: PublicForm, look: Look): Look {
  const chosen = renderFormColors(colors);
  return { ...look, styles: [STYLE, ...look.styles, ...(chosen === '' ? [] : [chosen])] };
}

function renderField(field: FormField, language: Language, state: FormState, marksOptional: boolean): Markup {
  const { name, required } = field;
  const texts = formTextsIn(language);
  const problem = state.problems.get(name);
  const { type, autocomplete, maxlength } = inputAttributesOf(field);
  const optional = marksOptional && !required ? markup` <span>(${texts.optional})</span>` : null;
  const invalid = problem ? markup` aria-invalid="true" aria-describedby="field-${name}-problem"` : null;
  return markup`<div class="field"><label for="field-${name}">${labelOf(field, language)}${optional}</label>
<input id="field-${name}" type="${type}" name="${name}" value="${state.valueOf(name).slice(0, maxlength)}" autocomplete="${autocomplete}" maxlength="${maxlength}"${required ? markup` required` : null}${invalid}>
${problem ? markup`<p class="problem" id="field-${name}-problem" role="alert">${texts[problem]}</p>` : null}</div>
`;
}
