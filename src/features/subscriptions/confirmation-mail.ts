/** The confirmation mail of one book, made ready once for all who get it. */
import { renderEditorDocument } from '../../mail/editor-html.ts';
import { compileTags } from '../../mail/merge-tags.ts';
import { DEFAULT_DOUBLE_OPT_IN_CONTENT } from '../contact-books/double-opt-in-defaults.ts';

export interface ConfirmationTexts {
  subject: string;
  /** The editor's document. */
  content: string;
}

interface Reader {
  email: string;
  firstName: string | null;
  lastName: string | null;
  properties: Record<string, string | number | boolean>;
}

const LINK = 'doubleOptInUrl';
const LINK_ALONE = { html: `<p><a href="{{${LINK}}}">{{${LINK}}}</a></p>`, text: `\n\n{{${LINK}}}` };
const MAX_SUBJECT = 998;

export function compileConfirmation({ subject, content }: ConfirmationTexts) {
  const rendered = renderEditorDocument(content) ?? renderEditorDocument(DEFAULT_DOUBLE_OPT_IN_CONTENT)!;
  const html = withLink(rendered.html, LINK_ALONE.html);
  const text = withLink(rendered.text, LINK_ALONE.text);
  const title = compileTags(subject);
  return {
    render({ email, firstName, lastName, properties }: Reader, url: string) {
      const fixed = new Map(Object.entries({ email, firstName, lastName, [LINK]: url }));
      const valueOf = (name: string): string | null => {
        if (fixed.has(name)) return fixed.get(name) ?? null;
        return Object.hasOwn(properties, name) ? String(properties[name]) : null;
      };
      return {
        subject: title.render(valueOf, 'plain').slice(0, MAX_SUBJECT),
        html: html.render(valueOf, 'html'),
        text: text.render(valueOf, 'plain'),
      };
    },
  };
}

/** A mail without its link would be no use: it is put at the end where the walker could not keep its place. */
function withLink(template: string, link: string) {
  const compiled = compileTags(template);
  return compiled.names.includes(LINK) ? compiled : compileTags(template + link);
}
