/** Finds the links and images of an HTML document in one pass, without building a tree. */
import { readConditional, readTag, skipElement } from './tag.ts';
import { readAttributes, type TagAttribute } from './tag-attributes.ts';
import { isLink, RAW_TEXT, readUrlValue } from './track-html.ts';

interface HtmlLink {
  url: string;
  /** False if the author switched tracking off for this link. */
  mayBeTracked: boolean;
}

interface HtmlImage {
  url: string;
  /** Null without an alternative text. */
  alt: string | null;
  /** True for spacers and tracking pixels, which need no alternative text. */
  isDecoration: boolean;
}

export interface References {
  links: HtmlLink[];
  images: HtmlImage[];
}

export function findReferences(html: string): References {
  const found: References = { links: [], images: [] };
  addReferences(found, html, 'conditional comments too');
  return found;
}

/** In a conditional comment only links count: its images are those of other email apps once more. */
function addReferences(
  found: References,
  html: string,
  scope: 'conditional comments too' | 'no comments',
): void {
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const open = at;
    const { name, isClosing, end } = readTag(html, open);
    at = end;
    if (isClosing) continue;
    if (RAW_TEXT.has(name)) {
      at = skipElement(html, end, name);
    } else if (isLink(name) || (name === 'img' && scope === 'conditional comments too')) {
      const tag = readAttributes(html, open + 1 + name.length);
      at = tag.end;
      if (!tag.isWhole) continue;
      if (name === 'img') addImage(found, tag.attributes);
      else addLink(found, tag.attributes);
    } else if (name === '' && scope === 'conditional comments too') {
      const inner = readConditional(html, open, end);
      if (inner) addReferences(found, html.slice(inner.start, inner.end), 'no comments');
    }
  }
}

function addLink({ links }: References, attributes: TagAttribute[]): void {
  const href = valueOf(attributes, 'href');
  // An anchor without href is the target of a link.
  if (href === null) return;
  links.push({
    url: readUrlValue(href),
    mayBeTracked: attributes.every(({ name }) => name !== 'data-no-track'),
  });
}

function addImage({ images }: References, attributes: TagAttribute[]): void {
  const isTiny = ['width', 'height'].some((name) => /^[01](?:px)?$/.test(valueOf(attributes, name) ?? ''));
  const isHidden = valueOf(attributes, 'aria-hidden') === 'true';
  images.push({
    url: readUrlValue(valueOf(attributes, 'src') ?? ''),
    alt: valueOf(attributes, 'alt')?.trim() || null,
    isDecoration: isTiny || isHidden || valueOf(attributes, 'role') === 'presentation',
  });
}

/** The first attribute with a name counts. */
function valueOf(attributes: TagAttribute[], wanted: string): string | null {
  return attributes.find(({ name }) => name === wanted)?.value ?? null;
}
