/** Bytes that replace those from `start` to `end`. */
export interface Edit {
  start: number;
  end: number;
  bytes: Buffer;
}

/** The edits are in order and do not overlap. */
export function editBytes(raw: Buffer, edits: Edit[]): Buffer {
  if (edits.length === 0) return raw;
  let kept = 0;
  const pieces = edits.flatMap(({ start, end, bytes }) => {
    const before = raw.subarray(kept, start);
    kept = end;
    return [before, bytes];
  });
  return Buffer.concat([...pieces, raw.subarray(kept)]);
}
