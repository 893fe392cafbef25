/** The state of rendering one editor document, and its limits. */
import type { EditorTheme } from './editor-frame.ts';

export interface Walk {
  pieces: string[];
  nodes: number;
  characters: number;
  theme: EditorTheme;
  /** True if the email is right to left. */
  isTurned: boolean;
  /** The side on which its lines start. */
  start: 'left' | 'right';
  /** The attribute of its tables, which Outlook needs. Empty for left-to-right emails. */
  dir: string;
  /** The width of the column that is being rendered, in pixels. */
  width: number;
  /** The margin of blocks. Blocks in table cells have none. */
  margin: string;
  /** How many characters of HTML blocks can still be cleaned. Cleaning them all takes about 50 ms. */
  htmlLeft: number;
}

export function startWalk(theme: EditorTheme, width: number, isTurned: boolean): Walk {
  return {
    pieces: [],
    nodes: 0,
    characters: 0,
    theme,
    isTurned,
    start: isTurned ? 'right' : 'left',
    dir: isTurned ? ' dir="rtl"' : '',
    width,
    margin: '0 0 16px',
    htmlLeft: 64 * 1024,
  };
}

export function add(walk: Walk, html: string): void {
  walk.pieces.push(html);
  walk.characters += html.length;
}
