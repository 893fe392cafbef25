/** Validates the attributes of editor nodes and marks. Only these values get into the HTML. */

export type Fields = Record<string, unknown>;

export function toFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** Removes characters that the database or mail cannot represent. */
export function readText(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  // oxlint-disable-next-line no-control-regex
  return value.toWellFormed().replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '');
}

const SAFE_LINK = /^(?:https?:\/\/|mailto:|tel:|\{\{)/i;
const SAFE_IMAGE = /^(?:https?:\/\/|cid:|data:image\/(?:png|jpe?g|gif|webp);base64,|\{\{)/i;

/** Returns null for unsafe links. Merge tags are kept, because their value is inserted later. */
export function readLink(value: unknown): string | null {
  return readUrl(value, SAFE_LINK);
}

export function readImageSource(value: unknown): string | null {
  return readUrl(value, SAFE_IMAGE);
}

function readUrl(value: unknown, safe: RegExp): string | null {
  // Browsers also drop line breaks and tabs inside a URL. Spaces inside the braces of a tag have no meaning.
  const url = readText(value)
    .trim()
    .replaceAll(/[\t\r\n]/g, '')
    .replaceAll(/\{\{([^{}]*)\}\}/g, (_tag, inner: string) => `{{${inner.trim()}}}`);
  return safe.test(url) ? url : null;
}

const COLOUR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s,.%/]{1,40}\))$/i;

export function readColour(value: unknown): string | null {
  const colour = readText(value).trim();
  return COLOUR.test(colour) ? colour : null;
}

const ALIGNMENTS = ['left', 'center', 'right', 'justify'] as const;

export function readAlignment(...values: unknown[]): (typeof ALIGNMENTS)[number] | null {
  return ALIGNMENTS.find((alignment) => values.includes(alignment)) ?? null;
}

/** A length in pixels. The editor writes numbers, but some nodes have "120" or "120px". */
export function readPixels(value: unknown, max: number): number | null {
  const match = /^(\d{1,5})(?:\.\d+)?(?:px)?$/.exec(readText(value).trim());
  return match ? Math.min(Number(match[1]), max) : null;
}

const TAG_NAME = /^[A-Za-z_][\w.-]{0,63}$/;

/** Returns the merge tag of a variable; empty for an invalid name. */
export function toTag(name: unknown, fallback: unknown): string {
  const tagName = readText(name).trim();
  if (!TAG_NAME.test(tagName)) return '';
  const fallbackText = readText(fallback)
    .replaceAll(/[{}\s]+/g, ' ')
    .trim();
  return fallbackText === '' ? `{{${tagName}}}` : `{{${tagName},fallback=${fallbackText}}}`;
}

/** Returns a `style` attribute, or nothing when all values are null. */
export function styled(styles: Record<string, string | null>): string {
  const rules = Object.entries(styles).filter(([, value]) => value !== null);
  return rules.length === 0 ? '' : ` style="${rules.map(([name, value]) => `${name}:${value}`).join(';')}"`;
}
