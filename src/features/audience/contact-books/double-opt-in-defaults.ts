/** The default confirmation email of a book. */
export const DOUBLE_OPT_IN_LINK = /\{\{\s*doubleOptInUrl\s*\}\}/;

export const DEFAULT_DOUBLE_OPT_IN_SUBJECT = 'Please confirm your subscription';

export const DEFAULT_DOUBLE_OPT_IN_CONTENT = JSON.stringify({
  type: 'doc',
  content: [
    heading('One more step'),
    paragraph('Someone signed up with this email address. If it was you, please confirm your subscription:'),
    paragraph('Confirm my subscription', '{{doubleOptInUrl}}'),
    paragraph(
      'The link is valid for 7 days. If it was not you, ignore this email and we will not write to you again.',
    ),
  ],
});

function heading(text: string) {
  return { type: 'heading', attrs: { level: 2 }, content: [{ type: 'text', text }] };
}

function paragraph(text: string, href?: string) {
  const marks = href ? [{ type: 'link', attrs: { href } }] : undefined;
  return { type: 'paragraph', content: [{ type: 'text', text, ...(marks ? { marks } : {}) }] };
}
