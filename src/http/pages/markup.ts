/** HTML templates. Every inserted value is escaped unless it is Markup itself. */
import { escapeHtml } from '../../mail/html/entities.ts';

export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

type Piece = string | number | Markup | Markup[] | null;

export function markup(fixed: TemplateStringsArray, ...pieces: Piece[]): Markup {
  let html = fixed[0]!;
  for (const [index, piece] of pieces.entries()) html += toHtml(piece) + fixed[index + 1]!;
  return new Markup(html);
}

function toHtml(piece: Piece): string {
  if (piece === null) return '';
  if (piece instanceof Markup) return piece.html;
  if (Array.isArray(piece)) return piece.map((part) => part.html).join('');
  return escapeHtml(String(piece));
}

/** Renders text with `code` in backticks. */
export function prose(text: string): Markup[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
}
