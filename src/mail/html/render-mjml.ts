/**
 * Renders MJML with mrml, which is WebAssembly: it reads no files and no network, so `mj-include` is rejected. Use it
 * only in worker threads. A trap, for example because of very deep nesting, leaves its memory unusable, so the error
 * ends the thread.
 */
import { createRequire } from 'node:module';
import { readTag } from './tag.ts';
import { readAttributes } from './tag-attributes.ts';

interface Mrml {
  Engine: new () => {
    toHtml(mjml: string): { type: 'success'; content: string } | { type: 'error'; message: string };
  };
}

export type RenderedMjml = { html: string } | { problem: string };

/** Returns the path of the library. A bundle of this file cannot resolve it by its name. */
export function findMjmlLibrary(): string {
  return createRequire(import.meta.url).resolve('mrml');
}

export function renderMjml(mjml: string, library: string): RenderedMjml {
  const source = prepare(mjml);
  const unknown = findUnknown(source);
  if (unknown !== null) return { problem: unknown };
  const { Engine } = createRequire(import.meta.url)(library) as Mrml;
  const result = new Engine().toHtml(source);
  return result.type === 'success' ? { html: result.content } : { problem: nameLine(result.message, source) };
}

const ELEMENTS = new Set(
  (
    'mj-head mj-attributes mj-all mj-class mj-breakpoint mj-font mj-preview mj-style mj-title mj-raw mj-body ' +
    'mj-accordion mj-accordion-element mj-accordion-title mj-accordion-text mj-button mj-carousel mj-carousel-image ' +
    'mj-column mj-container mj-divider mj-group mj-hero mj-image mj-navbar mj-navbar-link mj-section mj-social ' +
    'mj-social-element mj-spacer mj-table mj-text mj-wrapper'
  ).split(' '),
);
/** Parts of MJML that only the original implementation supports. */
const NEEDS_ORIGINAL = new Set(['mj-include', 'mj-html-attributes']);

/** Mrml omits unknown elements together with their content. */
function findUnknown(source: string): string | null {
  for (const { name } of tagsOf(source)) {
    if (NEEDS_ORIGINAL.has(name))
      return `${name} needs the original mjml. Render the file with it, or use \`posthorn template push\` in a project that has it`;
    if (name.startsWith('mj-') && !ELEMENTS.has(name)) return `${name} is not an element of MJML 4`;
  }
  return null;
}

const DECLARATION = /^\ufeff?\s*<\?xml[^>]{0,200}\?>/;

/** Mrml cannot parse Windows line ends, and writes quotes in attributes unescaped into its HTML. */
function prepare(mjml: string): string {
  const text = mjml.replace(DECLARATION, '').replaceAll(/\r\n?/g, '\n');
  const pieces: string[] = [];
  let from = 0;
  for (const { open, name } of tagsOf(text)) {
    for (const { value, start, end } of readAttributes(text, open + 1 + name.length).attributes) {
      if (start < from || text[start] !== "'" || !value?.includes('"')) continue;
      pieces.push(text.slice(from, start), `"${value.replaceAll('"', '&quot;')}"`);
      from = end;
    }
  }
  return pieces.join('') + text.slice(from);
}

function* tagsOf(text: string): Generator<{ open: number; name: string }> {
  for (let open = text.indexOf('<'); open !== -1;) {
    const { name, isClosing, end } = readTag(text, open);
    if (name !== '' && !isClosing) yield { open, name };
    open = text.indexOf('<', end);
  }
}

const POSITION = / in root template(?: at position (\d+):(\d+))?/;
const MAX_QUOTED = 60;

/** Replaces the positions in the message, which are byte offsets, by a line number. */
function nameLine(message: string, source: string): string {
  return message.replace(POSITION, (_, from?: string, to?: string) => {
    if (from === undefined) return '';
    const bytes = Buffer.from(source);
    const line = bytes.subarray(0, Number(from)).toString().split('\n').length;
    const quoted = bytes.subarray(Number(from), Number(to)).toString().trim().slice(0, MAX_QUOTED);
    return ` in line ${line}: ${quoted}`;
  });
}
