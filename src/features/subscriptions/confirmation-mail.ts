/** The confirmation mail of one book, made ready once for all who get it. */
import { renderEditorHtml } from '../../mail/editor-html.ts';
import { toOneLine } from '../../mail/header-encoding.ts';
import { compileTags, type TextKind } from '../../mail/merge-tags.ts';
import { textOfLetter } from '../../mail/text-letter.ts';
import { contactField } from '../contacts/contact-tags.ts';
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
const LINK_ALONE = { html: `<p><a href="{{${LINK}}}">{{${LINK}}}</a></p>`, plain: `\n\n{{${LINK}}}` };
const MAX_SUBJECT = 998;

export async function compileConfirmation({ subject, content }: ConfirmationTexts) {
  const rendered = renderEditorHtml(content) ?? renderEditorHtml(DEFAULT_DOUBLE_OPT_IN_CONTENT)!;
  const html = withLink(rendered, 'html');
  const text = withLink(await textOfLetter(rendered), 'plain');
  const title = compileTags(subject, 'plain');
  return {
    render(reader: Reader, url: string) {
      const valueOf = (name: string): string | null =>
        name === LINK ? url : contactField<Reader>(name, ({ email }) => email)(reader);
      return {
        subject: toOneLine(title.render(valueOf)).slice(0, MAX_SUBJECT),
        html: html.render(valueOf),
        text: text.render(valueOf),
      };
    },
  };
}

/** A mail without its link would be no use: it is put at the end where the walker could not keep its place. */
function withLink(template: string, kind: TextKind) {
  const compiled = compileTags(template, kind);
  return compiled.names.includes(LINK) ? compiled : compileTags(template + LINK_ALONE[kind], kind);
}
