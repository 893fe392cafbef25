/** Compiles a book's confirmation email once, to be rendered for each recipient. */
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import { toOneLine } from '../../../mail/mime/header-encoding.ts';
import { compileTags, type TextKind } from '../../../mail/html/merge-tags.ts';
import { htmlToTextOffLoop } from '../../../mail/offload/html-to-text.ts';
import { contactField } from '../contacts/contact-tags.ts';
import { DEFAULT_DOUBLE_OPT_IN_CONTENT } from '../contact-books/double-opt-in-defaults.ts';

export interface ConfirmationTexts {
  subject: string;
  /** The editor's JSON document. */
  content: string;
}

interface Recipient {
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
  const text = withLink(await htmlToTextOffLoop(rendered), 'plain');
  const title = compileTags(subject, 'plain');
  return {
    render(recipient: Recipient, url: string) {
      const valueOf = (name: string): string | null =>
        name === LINK ? url : contactField<Recipient>(name, ({ email }) => email)(recipient);
      return {
        subject: toOneLine(title.render(valueOf)).slice(0, MAX_SUBJECT),
        html: html.render(valueOf),
        text: text.render(valueOf),
      };
    },
  };
}

/** Appends the confirmation link if rendering has lost it, because the email is useless without it. */
function withLink(template: string, kind: TextKind) {
  const compiled = compileTags(template, kind);
  return compiled.names.includes(LINK) ? compiled : compileTags(template + LINK_ALONE[kind], kind);
}
