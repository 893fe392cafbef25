/** Blocks of the email editor, for the documents of the starter templates. */
import { textOn } from '../../../mail/html/editor/editor-frame.ts';
import type { Brand } from '../brand/brand.schema.ts';

export interface EditorNode {
  type: string;
  text?: string;
  attrs?: Record<string, unknown>;
  marks?: { type: string; attrs?: Record<string, unknown> }[];
  content?: EditorNode[];
}

/** The inputs of a starter: the brand of the team, and the name of the team, which replaces a missing logo. */
export interface StarterLook {
  brand: Brand;
  teamName: string;
  /** The colour of buttons and of the box at the top. */
  accent: string;
}

type Inline = string | EditorNode;
type Alignment = 'left' | 'center';

const LOGO_WIDTH = 140;
/** Light enough that the text on it is dark. Dark mode replaces it (src/mail/html/editor/editor-layout.ts). */
const SOFT = '#f4f2ec';

function inline(parts: Inline[]): EditorNode[] {
  return parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part));
}

export function bold(text: string): EditorNode {
  return { type: 'text', text, marks: [{ type: 'bold' }] };
}

export function link(text: string, href: string): EditorNode {
  return { type: 'text', text, marks: [{ type: 'link', attrs: { href } }] };
}

export function paragraph(...parts: Inline[]): EditorNode {
  return { type: 'paragraph', content: inline(parts) };
}

export function centred(...parts: Inline[]): EditorNode {
  return { type: 'paragraph', attrs: { textAlign: 'center' }, content: inline(parts) };
}

export function heading(level: 1 | 2 | 3, text: string, textAlign: Alignment = 'left'): EditorNode {
  return { type: 'heading', attrs: { level, textAlign }, content: inline([text]) };
}

export function bullets(...items: Inline[][]): EditorNode {
  return {
    type: 'bulletList',
    content: items.map((parts) => ({ type: 'listItem', content: [paragraph(...parts)] })),
  };
}

export function steps(...items: Inline[][]): EditorNode {
  return { ...bullets(...items), type: 'orderedList' };
}

export function quote(...parts: Inline[]): EditorNode {
  return { type: 'blockquote', content: [paragraph(...parts)] };
}

export function button(
  look: StarterLook,
  text: string,
  url: string,
  { alignment = 'left', wide = false }: { alignment?: Alignment; wide?: boolean } = {},
): EditorNode {
  return { type: 'button', attrs: { text, url, alignment, wide, buttonColor: look.accent } };
}

export const divider: EditorNode = { type: 'horizontalRule' };

export function spacer(height: number): EditorNode {
  return { type: 'spacer', attrs: { height } };
}

export function columns(...content: EditorNode[][]): EditorNode {
  return { type: 'columns', content: content.map((blocks) => ({ type: 'column', content: blocks })) };
}

/** A box with a plain background. */
export function box(...content: EditorNode[]): EditorNode {
  return { type: 'section', attrs: { backgroundColor: SOFT, padding: 24 }, content };
}

/** The box at the top, in the accent colour. Its button has the colours reversed. */
export function hero(
  { accent }: StarterLook,
  { title, text, action }: { title: string; text: string; action?: [text: string, url: string] },
): EditorNode {
  const face = textOn(accent) === '#ffffff' ? '#ffffff' : '#1f2328';
  const call: EditorNode[] = action
    ? [
        {
          type: 'button',
          attrs: { text: action[0], url: action[1], alignment: 'center', buttonColor: face },
        },
      ]
    : [];
  return {
    type: 'section',
    attrs: { backgroundColor: accent, padding: 40 },
    content: [heading(1, title, 'center'), centred(text), ...call],
  };
}

function row(type: 'tableHeader' | 'tableCell', cells: string[]): EditorNode {
  return { type: 'tableRow', content: cells.map((cell) => ({ type, content: [paragraph(cell)] })) };
}

export function table(header: string[], ...rows: string[][]): EditorNode {
  return {
    type: 'table',
    content: [row('tableHeader', header), ...rows.map((cells) => row('tableCell', cells))],
  };
}

/** The logo, or the name of the team. */
export function masthead({ brand, teamName }: StarterLook, alignment: Alignment = 'left'): EditorNode {
  if (brand.logoUrl !== null) {
    return { type: 'image', attrs: { src: brand.logoUrl, alt: teamName, width: LOGO_WIDTH, alignment } };
  }
  return { type: 'paragraph', attrs: { textAlign: alignment }, content: [bold(teamName)] };
}

/** Only newsletters have an unsubscribe link. */
export function footer({ brand, teamName }: StarterLook, unsubscribe: boolean): EditorNode {
  const { footerText, postalAddress } = brand;
  return {
    type: 'footer',
    attrs: { text: footerText ?? teamName, address: postalAddress ?? '', unsubscribe },
  };
}

export function emailDocument({ brand }: StarterLook, content: EditorNode[]): EditorNode {
  const { backgroundColor, contentColor, textColor, linkColor, buttonColor, fontFamily } = brand;
  return {
    type: 'doc',
    attrs: { backgroundColor, contentColor, textColor, linkColor, buttonColor, fontFamily },
    content,
  };
}
