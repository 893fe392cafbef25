/** Reads the orientation of the camera from the Exif metadata of a JPEG (Exif 2.3, section 4.6.4, tag Orientation). */

const HEADER = 'Exif\0\0';
const ORIENTATION = 0x0112;
/** With values from 5 to 8, the image is shown rotated by 90 degrees. */
const FIRST_TURNED = 5;
const LAST_TURNED = 8;
const ENTRY_BYTES = 12;

/** `segment` is the content of an APP1 segment. Unreadable metadata is ignored. */
export function isTurned(segment: Buffer): boolean {
  if (segment.toString('latin1', 0, HEADER.length) !== HEADER) return false;
  try {
    const orientation = readOrientation(segment.subarray(HEADER.length));
    return orientation >= FIRST_TURNED && orientation <= LAST_TURNED;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Reads the first directory of a TIFF file. */
function readOrientation(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const read16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const entries = read16(directory);
  for (let number = 0; number < entries; number += 1) {
    const at = directory + 2 + number * ENTRY_BYTES;
    if (read16(at) === ORIENTATION) return read16(at + 8);
  }
  return 1;
}
