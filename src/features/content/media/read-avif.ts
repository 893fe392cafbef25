/**
 * Reads the size of an AVIF image. The file is a tree of boxes (ISO/IEC 14496-12): meta, iprp, ipco, and in it an
 * `ispe` with the size of each image in the file. The largest is the main image; the others are tiles and previews.
 */
export interface ImageSize {
  width: number;
  height: number;
}

interface Box {
  type: string;
  /** Where the content begins. */
  start: number;
  end: number;
}

/** No image has nearly this many. */
const MAX_BOXES = 1_000;

export function readAvif(bytes: Buffer): ImageSize | null {
  const boxes = readBoxes(bytes, 0, bytes.length);
  const meta = find(boxes, 'meta');
  if (!meta || !boxes?.some(({ type }) => type === 'mdat')) return null;
  // `meta` has a version and flags before its boxes.
  const properties = find(readBoxes(bytes, meta.start + 4, meta.end), 'iprp');
  const container = properties && find(readBoxes(bytes, properties.start, properties.end), 'ipco');
  const sizes = (container && readBoxes(bytes, container.start, container.end)) ?? [];
  return sizes
    .filter(({ type, start, end }) => type === 'ispe' && end - start >= 12)
    .map(({ start }) => ({ width: bytes.readUInt32BE(start + 4), height: bytes.readUInt32BE(start + 8) }))
    .reduce<ImageSize | null>(
      (largest, size) => (largest && areaOf(largest) >= areaOf(size) ? largest : size),
      null,
    );
}

/** Null if the boxes do not fill the range. */
function readBoxes(bytes: Buffer, from: number, to: number): Box[] | null {
  const boxes: Box[] = [];
  for (let at = from; at < to;) {
    if (boxes.length === MAX_BOXES) return null;
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const isLong = length === 1;
    // A length of 0 means up to the end of the file.
    const size = length === 0 ? to - at : isLong ? Number(bytes.readBigUInt64BE(at + 8)) : length;
    const start = at + (isLong ? 16 : 8);
    at += size;
    if (at < start || at > to) return null;
    boxes.push({ type, start, end: at });
  }
  return boxes;
}

function find(boxes: Box[] | null, wanted: string): Box | undefined {
  return boxes?.find(({ type }) => type === wanted);
}

function areaOf({ width, height }: ImageSize): number {
  return width * height;
}
