/** Splits the body of a multipart into its parts and the bytes between them. */
const LF = 0x0a;

interface Piece {
  isPart: boolean;
  bytes: Buffer;
}

/** The line break before a boundary belongs to the boundary (RFC 2046 section 5.1.1). All bytes are in some piece. */
export function splitParts(body: Buffer, boundary: string): Piece[] {
  const marker = Buffer.from(`--${boundary}`, 'utf8');
  const pieces: Piece[] = [];
  let start = 0;
  let isPart = false;
  let at = boundary === '' ? -1 : body.indexOf(marker);
  while (at !== -1) {
    const lineEnd = body.indexOf(LF, at);
    const end = lineEnd === -1 ? body.length : lineEnd + 1;
    const rest = body
      .toString('latin1', at + marker.length, Math.min(end, at + marker.length + 100))
      .trimEnd();
    if ((at === 0 || body[at - 1] === LF) && (rest === '' || rest === '--')) {
      const partEnd = at >= start + 2 ? at - 2 : start;
      pieces.push({ isPart, bytes: body.subarray(start, partEnd) });
      pieces.push({ isPart: false, bytes: body.subarray(partEnd, end) });
      start = end;
      isPart = rest === '';
      if (!isPart) break;
    }
    at = body.indexOf(marker, Math.max(end, at + 1));
  }
  pieces.push({ isPart, bytes: body.subarray(start) });
  return pieces;
}
