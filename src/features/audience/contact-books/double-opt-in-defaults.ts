/** The default confirmation email of a book. */
export const DOUBLE_OPT_IN_LINK = /\{\{\s*doubleOptInUrl\s*\}\}/;

export const DEFAULT_DOUBLE_OPT_IN_SUBJECT = 'Please confirm your subscription to {{bookName}}';

export const DEFAULT_DOUBLE_OPT_IN_CONTENT = JSON.stringify({
  type: 'doc',
  content: [
    heading('One more step'),
    paragraph(
      'Someone signed up to {{bookName}} with this email address. If it was you, please confirm your subscription:',
    ),
    { type: 'button', attrs: { text: 'Confirm my subscription', url: '{{doubleOptInUrl}}' } },
    paragraph(
      'The link is valid for 7 days. If it was not you, ignore this email and we will not write to you again.',
    ),
  ],
});

function heading(text: string) {
  return { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text }] };
}

function paragraph(text: string) {
  return { type: 'paragraph', content: [{ type: 'text', text }] };
}
