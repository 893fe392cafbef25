/** Finds the links of an editor document without rendering it. */
import { readLink, readText, toFields, type Fields } from './editor-attributes.ts';

/** Yields each node in the order of the document. */
export function* walkDocument(json: string): Generator<Fields> {
  const waiting: unknown[] = [JSON.parse(json)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const node = toFields(next);
    if (!node) continue;
    yield node;
    // The first child must be on top of the stack.
    if (Array.isArray(node.content)) for (const child of node.content.toReversed()) waiting.push(child);
  }
}

/**
 * Returns the names of buttons, images and texts whose links are missing from the email, because they are empty or
 * have a scheme that is not allowed.
 */
export function findDeadLinks(json: string | null): string[] {
  if (json === null) return [];
  return [...walkDocument(json)].flatMap((node) => deadLinksOf(node, toFields(node.attrs) ?? {}));
}

function deadLinksOf(node: Fields, attrs: Fields): string[] {
  switch (node.type) {
    case 'button': {
      const url = attrs.href ?? attrs.url;
      return isDead(url) || !url ? [named(readText(attrs.text ?? attrs.label), url)] : [];
    }
    case 'image': {
      const url = attrs.externalLink ?? attrs.href;
      return isDead(url) ? [named(readText(attrs.alt), url)] : [];
    }
    case 'social':
      return (Array.isArray(attrs.links) ? attrs.links : []).flatMap((entry) => {
        const { network, url } = toFields(entry) ?? {};
        return isDead(url) || !url ? [named(readText(network), url)] : [];
      });
    case 'text':
      return (Array.isArray(node.marks) ? node.marks : []).flatMap((entry) => {
        const mark = toFields(entry);
        const url = toFields(mark?.attrs)?.href;
        return mark?.type === 'link' && isDead(url) ? [named(readText(node.text), url)] : [];
      });
    default:
      return [];
  }
}

function isDead(url: unknown): boolean {
  return Boolean(url) && readLink(url) === null;
}

function named(name: string, url: unknown): string {
  return `${name || '(no text)'}: ${readText(url) || '(empty)'}`;
}
