import type { Attribute } from '@tiptap/core';

/**
 * An attribute that is written to the HTML as JSON, so that a block that is cut and pasted keeps it. `show` returns
 * the attributes that display it in the editor.
 */
export function kept(
  name: string,
  initial: unknown = null,
  show: (value: unknown) => Record<string, string> = () => ({}),
): Attribute {
  const attribute = `data-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return {
    default: initial,
    parseHTML: (element) => parse(element.getAttribute(attribute), initial),
    renderHTML: ({ [name]: value }) =>
      value === initial || value === undefined ? {} : { [attribute]: JSON.stringify(value), ...show(value) },
  };
}

function parse(written: string | null, initial: unknown): unknown {
  if (written === null) return initial;
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return initial;
  }
}

/** Documents can come from the API, so an attribute can be anything. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
