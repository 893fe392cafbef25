/**
 * Encodes a message for DATA (RFC 5321 section 4.5.2): a dot at the start of a line is doubled, and a line with
 * a single dot ends the message. A buffer without such lines is passed on unchanged.
 * A bare CR or LF counts as a line end too. The caller should send CRLF only; if it does not, some servers
 * would treat "\n.\r\n" as the end of the message and the rest as our commands (SMTP smuggling).
 */
const DOT = Buffer.from('.');
const END_AFTER_CRLF = Buffer.from('.\r\n');
const END = Buffer.from('\r\n.\r\n');
const CR = 13;
const LF = 10;
const PERIOD = 46;

export function dotStuff(chunks: readonly Buffer[]): Buffer[] {
  const out: Buffer[] = [];
  // The first byte of the message starts a line.
  let last = LF;
  let secondLast = CR;
  for (const chunk of chunks) {
    if (chunk.length === 0) continue;
    if (chunk[0] === PERIOD && (last === LF || last === CR)) out.push(DOT);
    out.push(stuffInside(chunk));
    secondLast = chunk.length > 1 ? chunk[chunk.length - 2]! : last;
    last = chunk[chunk.length - 1]!;
  }
  out.push(last === LF && secondLast === CR ? END_AFTER_CRLF : END);
  return out;
}

function stuffInside(chunk: Buffer): Buffer {
  const first = findDotAtStart(chunk);
  if (first === -1) return chunk;
  // At most every second byte from there on is a dot at the start of a line.
  const out = Buffer.allocUnsafe(chunk.length + ((chunk.length - first) >> 1) + 1);
  chunk.copy(out, 0, 0, first);
  let to = first;
  let previous = chunk[first - 1]!;
  for (let from = first; from < chunk.length; from++) {
    const byte = chunk[from]!;
    if (byte === PERIOD && (previous === LF || previous === CR)) out[to++] = PERIOD;
    out[to++] = byte;
    previous = byte;
  }
  return out.subarray(0, to);
}

/** Finds the first dot at the start of a line within the chunk. */
function findDotAtStart(chunk: Buffer): number {
  for (let at = chunk.indexOf(PERIOD, 1); at !== -1; at = chunk.indexOf(PERIOD, at + 1)) {
    const before = chunk[at - 1];
    if (before === LF || before === CR) return at;
  }
  return -1;
}
