/**
 * Which three bytes occur in which texts, as a table of bits (decision 48). A text that contains another contains all
 * its three-byte pieces, so a few rows of the table name the texts in which it can be. Each piece belongs to the row of
 * its hash; pieces that share a row only cause texts to be compared that do not contain what is searched for.
 */

export const ROWS = 8_192;
const HASH_SHIFT = 32 - 13;
/** More pieces hardly leave fewer texts. */
const MAX_SEARCHED = 8;

/** Texts are compared in this form. */
export function foldCase(text: string): string {
  // The form of a sigma depends on its place in the word.
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Headers are compared as bytes, with letters of ASCII in lower case. The result has one character for each byte. */
export function foldBytes(bytes: Buffer): string {
  return bytes.toString('latin1').replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The rows in which a text has a bit. Null if it may contain anything. */
export type GramRows = Uint16Array | null;

const seen = new Uint8Array(ROWS);

/** The rows of all pieces of these texts. */
export function rowsOf(texts: readonly Buffer[]): Uint16Array {
  seen.fill(0);
  for (const bytes of texts) {
    for (let at = 2; at < bytes.length; at += 1) seen[rowAt(bytes, at)] = 1;
  }
  const rows: number[] = [];
  for (let row = 0; row < ROWS; row += 1) if (seen[row] === 1) rows.push(row);
  return Uint16Array.from(rows);
}

/** The row of the piece that ends at this position. */
function rowAt(bytes: Buffer, end: number): number {
  const piece = (bytes[end - 2]! << 16) | (bytes[end - 1]! << 8) | bytes[end]!;
  return Math.imul(piece, 0x9e3779b1) >>> HASH_SHIFT;
}

/** The rows that a text with these bytes has in any case. Empty if the bytes are too few. */
export function searchedRows(bytes: Buffer): number[] {
  const rows: number[] = [];
  for (let end = 2; end < bytes.length; end += 1) rows.push(rowAt(bytes, end));
  const distinct = [...new Set(rows)];
  if (distinct.length <= MAX_SEARCHED) return distinct;
  return Array.from(
    { length: MAX_SEARCHED },
    (_, no) => distinct[Math.floor((no * distinct.length) / MAX_SEARCHED)]!,
  );
}

/** The bytes of one row of a table for this many texts. */
export function widthFor(texts: number): number {
  return Math.ceil(texts / 8);
}

/** Makes the table. Text number `n` has the bit with the value 1 << (n % 8) in byte n / 8 of a row. */
export function makeTable(texts: readonly GramRows[]): Buffer {
  const width = widthFor(texts.length);
  const table = Buffer.alloc(ROWS * width);
  for (const [no, rows] of texts.entries()) {
    const [byte, bit] = [no >> 3, 1 << (no & 7)];
    if (rows) for (const row of rows) table[row * width + byte]! |= bit;
    else for (let row = 0; row < ROWS; row += 1) table[row * width + byte]! |= bit;
  }
  return table;
}

/** Joins tables whose numbers of texts, except the last, are multiples of eight. */
export function joinTables(tables: readonly Buffer[]): Buffer {
  const widths = tables.map((table) => table.length / ROWS);
  const width = widths.reduce((sum, each) => sum + each, 0);
  const joined = Buffer.alloc(ROWS * width);
  let from = 0;
  for (const [no, table] of tables.entries()) {
    const own = widths[no]!;
    for (let row = 0; row < ROWS; row += 1)
      table.copy(joined, row * width + from, row * own, (row + 1) * own);
    from += own;
  }
  return joined;
}

/** Returns the numbers of the texts that have a bit in each of these rows, which follow each other in `rows`. */
export function textsWithAll(rows: Buffer, width: number): number[] {
  const found: number[] = [];
  for (let byte = 0; byte < width; byte += 1) {
    let bits = 0xff;
    for (let at = byte; at < rows.length; at += width) bits &= rows[at]!;
    for (let bit = 0; bits !== 0; bit += 1, bits >>= 1) if (bits & 1) found.push(byte * 8 + bit);
  }
  return found;
}
