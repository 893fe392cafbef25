/** Formats JSON for the documentation: short lists stay on one line, and tokens have colours. */
import { markup, type Markup } from '../pages/markup.ts';

const ONE_LINE = 60;
/** Matches names, strings, literals and numbers. */
export const JSON_TOKEN =
  /"(?:[^"\\]|\\.)*"(?=\s*:)|"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

export function formatJson(value: unknown, indent = ''): string {
  const short = JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return short;
  const entries = Object.entries(value);
  const flat = entries.every(([, inner]) => typeof inner !== 'object' || inner === null);
  const isList = Array.isArray(value);
  if (entries.length === 0 || (isList && flat && short.length <= ONE_LINE))
    return short.replaceAll('","', '", "');
  const deeper = `${indent}  `;
  const lines = entries.map(
    ([name, inner]) => `${deeper}${isList ? '' : `${JSON.stringify(name)}: `}${formatJson(inner, deeper)}`,
  );
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Shortens long strings, so that an example stays readable. */
export function shorten(value: unknown, longest: number): unknown {
  if (typeof value === 'string') return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (Array.isArray(value)) return value.map((inner) => shorten(inner, longest));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner, longest)]));
}

export function colourJson(text: string): Markup[] {
  const parts: Markup[] = [];
  let end = 0;
  for (const { 0: token, index } of text.matchAll(JSON_TOKEN)) {
    parts.push(markup`${text.slice(end, index)}`);
    end = index + token.length;
    const isName = token.startsWith('"') && /^\s*:/.test(text.slice(end, end + 2));
    const kind = isName ? 'name' : token.startsWith('"') ? 'text' : 'value';
    parts.push(markup`<span class="json-${kind}">${token}</span>`);
  }
  return [...parts, markup`${text.slice(end)}`];
}
