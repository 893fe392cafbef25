/**
 * The message as it stands between 354 and the reply (RFC 5321 section 4.5.2): a dot that begins a line is doubled,
 * and a line with a dot alone ends it. A buffer in which no line begins with a dot is passed on as it is.
 *
 * A bare CR or LF counts as the end of a line too. The caller sends CRLF only, but where it does not, some servers
 * would take "\n.\r\n" for the end of the message and what follows for commands of ours (SMTP smuggling).
 */
const DOT = Buffer.from('.');
const END_AFTER_CRLF = Buffer.from('.\r\n');
const END = Buffer.from('\r\n.\r\n');
const CR = 13;
const LF = 10;
const PERIOD = 46;

export function dotStuff(chunks: readonly Buffer[]): Buffer[] {
  const out: Buffer[] = [];
  // As if a line had just ended: the first byte of the message begins one.
  let last = LF;
  let beforeLast = CR;
  for (const chunk of chunks) {
    if (chunk.length === 0) continue;
    if (chunk[0] === PERIOD && (last === LF || last === CR)) out.push(DOT);
    out.push(stuffInside(chunk));
    beforeLast = chunk.length > 1 ? chunk[chunk.length - 2]! : last;
    last = chunk[chunk.length - 1]!;
  }
  out.push(last === LF && beforeLast === CR ? END_AFTER_CRLF : END);
  return out;
}

function stuffInside(chunk: Buffer): Buffer {
  const first = findDotAtStart(chunk);
  if (first === -1) return chunk;
  // At most every second byte from there is a dot that begins a line.
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

/** The first dot that begins a line within the chunk. */
function findDotAtStart(chunk: Buffer): number {
  for (let at = chunk.indexOf(PERIOD, 1); at !== -1; at = chunk.indexOf(PERIOD, at + 1)) {
    const before = chunk[at - 1];
    if (before === LF || before === CR) return at;
  }
  return -1;
}
