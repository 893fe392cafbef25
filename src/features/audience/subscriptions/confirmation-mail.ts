/** Compiles a book's confirmation email once, to be rendered for each recipient, in the brand of the team. */
import type { Brand } from '../../content/brand/brand.schema.ts';
import { renderEditorHtml } from '../../../mail/html/editor/editor-html.ts';
import { toOneLine } from '../../../mail/mime/header-encoding.ts';
import { compileTags, type TextKind } from '../../../mail/html/merge-tags.ts';
import { htmlToTextOffLoop } from '../../../mail/offload/html-to-text.ts';
import { contactField } from '../own-fields/contact-tags.ts';
import type { TaggedContact } from '../own-fields/own-columns.ts';
import { DEFAULT_DOUBLE_OPT_IN_CONTENT } from '../contact-books/double-opt-in-defaults.ts';

export interface ConfirmationTexts {
  subject: string;
  /** The editor's JSON document. */
  content: string;
  /** The value of `{{bookName}}`. */
  bookName: string;
}

interface Recipient extends TaggedContact {
  email: string;
}

const LINK = 'doubleOptInUrl';
const BOOK_NAME = 'bookName';
const LINK_ALONE = { html: `<p><a href="{{${LINK}}}">{{${LINK}}}</a></p>`, plain: `\n\n{{${LINK}}}` };
const MAX_SUBJECT = 998;
const LOGO_WIDTH = 160;

export async function compileConfirmation({ subject, content, bookName }: ConfirmationTexts, brand: Brand) {
  const rendered =
    renderEditorHtml(withBrand(content, brand)) ??
    renderEditorHtml(withBrand(DEFAULT_DOUBLE_OPT_IN_CONTENT, brand))!;
  const html = withLink(rendered, 'html');
  const text = withLink(await htmlToTextOffLoop(rendered), 'plain');
  const title = compileTags(subject, 'plain');
  return {
    render(recipient: Recipient, url: string) {
      const valueOf = (name: string): unknown =>
        name === LINK
          ? url
          : name === BOOK_NAME
            ? bookName
            : contactField<Recipient>(name, ({ email }) => email)(recipient);
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

interface EditorDocument {
  type?: unknown;
  attrs?: Record<string, unknown>;
  content?: { type?: unknown }[];
}

/** What the document does not set itself is as in the brand. Its logo comes first, unless there is an image already. */
function withBrand(content: string, brand: Brand): string {
  let document: EditorDocument | null;
  try {
    document = JSON.parse(content) as EditorDocument | null;
  } catch {
    return content;
  }
  if (document?.type !== 'doc' || !Array.isArray(document.content)) return content;
  const { backgroundColor, contentColor, textColor, linkColor, buttonColor, fontFamily } = brand;
  const design = { backgroundColor, contentColor, textColor, linkColor, buttonColor, fontFamily };
  const hasImage = document.content.some((node) => node?.type === 'image');
  const logo = { type: 'image', attrs: { src: brand.logoUrl, alt: '', width: LOGO_WIDTH } };
  return JSON.stringify({
    ...document,
    attrs: { ...withoutNulls(design), ...withoutNulls(document.attrs ?? {}) },
    content: [...(brand.logoUrl && !hasImage ? [logo] : []), ...document.content],
  });
}

function withoutNulls(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
