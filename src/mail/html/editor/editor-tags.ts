/** Finds mistakes in the conditions and loops of an editor document, by their place in its text. */
import { findTagProblem, hasBlocks } from '../merge-tags.ts';
import type { TagProblem } from '../tag-tree.ts';
import { readText, toFields } from './editor-attributes.ts';
import { renderEditorHtml } from './editor-html.ts';
import { walkDocument } from './editor-links.ts';

/** These stand in a line of text. All other nodes begin a line. */
const INLINE = new Set<unknown>(['text', 'variable', 'hardBreak']);

/**
 * The line is the number of the paragraph, heading or other block with text. Mistakes that the text does not show, such
 * as a condition that begins in one link and ends in another, have their place in the HTML.
 */
export function findEditorTagProblem(json: string): TagProblem | null {
  if (!hasBlocks(json)) return null;
  return findTagProblem(readLines(json), 'plain') ?? findTagProblem(renderEditorHtml(json) ?? '', 'html');
}

function readLines(json: string): string {
  const lines: string[] = [];
  let isInLine = false;
  for (const { type, text, attrs } of walkDocument(json)) {
    if (!INLINE.has(type)) {
      isInLine = false;
      const html = type === 'html' ? readText(toFields(attrs)?.html) : '';
      if (html) lines.push(html.replaceAll(/[\r\n]/g, ' '));
      continue;
    }
    const shown = type === 'text' ? readText(text) : ' ';
    if (isInLine) lines.push(lines.pop()! + shown);
    else lines.push(shown);
    isInLine = true;
  }
  return lines.join('\n');
}
