/**
 * Finds the type and the size of an image in its bytes. Nothing is decoded, so a small file that decodes to a huge
 * image costs nothing here. The structure is read up to the end of the image, so a truncated file is rejected. Bytes
 * after the end are allowed, because some cameras write them.
 */
import { readAvif, type ImageSize } from './read-avif.ts';
import { isTurned } from './read-exif.ts';

export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';

export interface ImageInfo extends ImageSize {
  contentType: ImageType;
}

/** Email apps and browsers decode the whole image, so its size is limited. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 125_000_000;
/** The limit counts chunks, segments or blocks. A GIF of 10 MiB has 41,000, and other images far fewer. */
const MAX_PARTS = 200_000;

const NO_IMAGE = 'must be a PNG, JPEG, GIF, WebP or AVIF image';
const DAMAGED = 'is an image that is incomplete or damaged';
const TOO_MANY_PIXELS = `is an image that is too large: each side can have at most ${MAX_SIDE} pixels, and the image at most ${MAX_PIXELS / 1_000_000} megapixels`;

/** A reader must call `countPart` for each part, which ends the reading of a file that has far too many. */
type ReadSize = (bytes: Buffer, countPart: () => void) => ImageSize | null;

const FORMATS: { contentType: ImageType; isIt(bytes: Buffer): boolean; readSize: ReadSize }[] = [
  { contentType: 'image/png', isIt: starts('\x89PNG\r\n\x1a\n'), readSize: readPng },
  { contentType: 'image/jpeg', isIt: starts('\xff\xd8\xff'), readSize: readJpeg },
  { contentType: 'image/gif', isIt: (bytes) => /^GIF8[79]a$/.test(latin1(bytes, 0, 6)), readSize: readGif },
  {
    contentType: 'image/webp',
    isIt: (bytes) => latin1(bytes, 0, 4) === 'RIFF' && latin1(bytes, 8, 12) === 'WEBP',
    readSize: readWebp,
  },
  {
    contentType: 'image/avif',
    isIt: (bytes) => /^ftyp(avif|avis)$/.test(latin1(bytes, 4, 12)),
    readSize: readAvif,
  },
];

/** Returns an error as text that follows "The request body". */
export function readImage(bytes: Buffer): ImageInfo | string {
  const format = FORMATS.find(({ isIt }) => isIt(bytes));
  if (!format) return NO_IMAGE;
  const size = readWithin(bytes, format.readSize);
  if (!size || size.width < 1 || size.height < 1) return DAMAGED;
  if (size.width > MAX_SIDE || size.height > MAX_SIDE || size.width * size.height > MAX_PIXELS)
    return TOO_MANY_PIXELS;
  return { contentType: format.contentType, ...size };
}

/**
 * Reading beyond the end throws a RangeError, because the file is truncated or a length in it is wrong. Too many parts
 * throw it too.
 */
function readWithin(bytes: Buffer, read: ReadSize): ImageSize | null {
  let parts = 0;
  const countPart = () => {
    parts += 1;
    if (parts > MAX_PARTS) throw new RangeError('The image has too many parts.');
  };
  try {
    return read(bytes, countPart);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function starts(signature: string): (bytes: Buffer) => boolean {
  return (bytes) => latin1(bytes, 0, signature.length) === signature;
}

function latin1(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to);
}

/** A PNG has chunks of length, type, content and checksum. The first is IHDR, the last IEND. */
function readPng(bytes: Buffer, countPart: () => void): ImageSize | null {
  if (latin1(bytes, 12, 16) !== 'IHDR') return null;
  let hasPixels = false;
  for (let at = 8; ;) {
    countPart();
    const length = bytes.readUInt32BE(at);
    const type = latin1(bytes, at + 4, at + 8);
    at += length + 12;
    if (at > bytes.length) return null;
    if (type === 'IDAT') hasPixels = true;
    if (type === 'IEND')
      return hasPixels ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null;
  }
}

const JPEG_SCAN = 0xda;
const JPEG_METADATA = 0xe1;
const JPEG_END = Buffer.from([0xff, 0xd9]);

/**
 * A JPEG has segments up to the first scan. One of them, the start of the frame, has the size. The returned size is
 * that of the displayed image, after its rotation.
 */
function readJpeg(bytes: Buffer, countPart: () => void): ImageSize | null {
  let size: ImageSize | null = null;
  let isQuarterTurned = false;
  for (let at = 2; ;) {
    countPart();
    if (bytes.readUInt8(at) !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    // A marker can have any number of fill bytes before it.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrameStart(marker))
      size ??= { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return null;
    if (marker === JPEG_METADATA) isQuarterTurned ||= isTurned(bytes.subarray(at + 4, at + 2 + length));
    at += 2 + length;
    if (marker !== JPEG_SCAN) continue;
    if (!size || !bytes.includes(JPEG_END, at)) return null;
    return isQuarterTurned ? { width: size.height, height: size.width } : size;
  }
}

/** SOF0 to SOF15, without the tables and reserved markers among them. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

const GIF_EXTENSION = 0x21;
const GIF_FRAME = 0x2c;
const GIF_END = 0x3b;

/** A GIF has a header with the size, then frames and extensions, whose data are in blocks of up to 255 bytes. */
function readGif(bytes: Buffer, countPart: () => void): ImageSize | null {
  let hasFrame = false;
  for (let at = 13 + colorTableBytes(bytes.readUInt8(10)); ;) {
    const kind = bytes.readUInt8(at);
    if (kind === GIF_END)
      return hasFrame ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : null;
    if (kind === GIF_FRAME) {
      hasFrame = true;
      at += 11 + colorTableBytes(bytes.readUInt8(at + 9));
    } else if (kind === GIF_EXTENSION) at += 2;
    else return null;
    for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) {
      countPart();
      at += length + 1;
    }
    countPart();
    at += 1;
  }
}

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** A WebP is a RIFF container. The size is in the first chunk, in a different format for each kind of content. */
function readWebp(bytes: Buffer): ImageSize | null {
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return null;
  const kind = latin1(bytes, 12, 16);
  if (bytes.readUInt32LE(16) + 20 > bytes.length) return null;
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind === 'VP8L') {
    if (bytes.readUInt8(20) !== 0x2f) return null;
    const bits = bytes.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8 ' || latin1(bytes, 23, 26) !== '\x9d\x01\x2a') return null;
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}
