/** Reads the content lines of an iCalendar object (RFC 5545 section 3.1). Unreadable lines are left out. */

export interface ContentLine {
  /** In upper case. */
  name: string;
  /** By their names in upper case. Quotes are removed. */
  params: Record<string, string>;
  value: string;
}

const MAX_CHARACTERS = 1_000_000;
const MAX_LINES = 20_000;
const MAX_PARAMS = 30;

export function readContentLines(text: string): ContentLine[] {
  const lines: string[] = [];
  for (const line of text.slice(0, MAX_CHARACTERS).split(/\r\n|\n|\r/, MAX_LINES)) {
    const isFolded = line.startsWith(' ') || line.startsWith('\t');
    if (isFolded && lines.length > 0) lines[lines.length - 1] += line.slice(1);
    else lines.push(line);
  }
  return lines.flatMap((line) => readLine(line) ?? []);
}

function readLine(line: string): ContentLine | null {
  const colon = findOutsideQuotes(line, ':', 0);
  if (colon < 1) return null;
  const [name, ...params] = splitOutsideQuotes(line.slice(0, colon), ';');
  const read: Record<string, string> = Object.create(null);
  for (const param of params.slice(0, MAX_PARAMS)) {
    const equals = param.indexOf('=');
    if (equals > 0) read[param.slice(0, equals).toUpperCase()] = param.slice(equals + 1).replaceAll('"', '');
  }
  return { name: name!.toUpperCase().trim(), params: read, value: line.slice(colon + 1) };
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  for (let start = 0; ;) {
    const end = findOutsideQuotes(text, separator, start);
    if (end < 0) return [...parts, text.slice(start)];
    parts.push(text.slice(start, end));
    start = end + 1;
  }
}

function findOutsideQuotes(text: string, wanted: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === wanted && !isQuoted) return at;
  }
  return -1;
}

/** RFC 5545 section 3.3.11. */
export function readText(value: string): string {
  return value.replaceAll(/\\([\\;,nN])/g, (_whole, escaped: string) =>
    /n/i.test(escaped) ? '\n' : escaped,
  );
}

export function writeText(text: string): string {
  return text.replaceAll(/[\\;,]/g, '\\$&').replaceAll(/\r\n|\n|\r/g, '\\n');
}

/** Folds a line at 75 octets (RFC 5545 section 3.1), without splitting a character. */
export function foldLine(line: string): string {
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > 75) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}
