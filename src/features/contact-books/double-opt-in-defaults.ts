/** The confirmation mail of a book whose owner has not written one: plain, short, and clear about who asked. */
export const DOUBLE_OPT_IN_LINK = /\{\{\s*doubleOptInUrl\s*\}\}/;

export const DEFAULT_DOUBLE_OPT_IN_SUBJECT = 'Please confirm your subscription';

export const DEFAULT_DOUBLE_OPT_IN_CONTENT = JSON.stringify({
  type: 'doc',
  content: [
    heading('One more step'),
    paragraph('Someone, most likely you, asked us to write to this address. Please confirm that it was you:'),
    paragraph('Confirm my subscription', '{{doubleOptInUrl}}'),
    paragraph(
      'The link works for 7 days. If it was not you, ignore this mail and you will not hear from us again.',
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
