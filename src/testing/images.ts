/** Small images in every format that the media library accepts. */
import { crc32, deflateSync } from 'node:zlib';

/** Returns a PNG of one colour. Two colours make two different images. */
export function makePng(width: number, height: number, [red, green, blue] = [40, 90, 160]): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([red, green, blue]))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return joinPng(width, height, pixels);
}

/** Returns a PNG that declares this size, with the given pixel data. */
export function joinPng(width: number, height: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** Images of 3 by 2 pixels, in all formats. The pixels of the JPEG and the AVIF are not real. */
export const SMALL_IMAGES = {
  'image/png': makePng(3, 2),
  'image/jpeg': Buffer.from(
    'ffd8ffe000104a46494600010100000100010000ffc0000b080002000301011100ffda0008010100003f0037ffd9',
    'hex',
  ),
  'image/gif': Buffer.from(
    '47494638396103000200800000ff0000ffffff21f90400000000002c0000000003000200000203845105003b',
    'hex',
  ),
  'image/webp': Buffer.from('524946461a000000574542505650384c0d0000002f02400010071011118888fe0700', 'hex'),
  'image/avif': Buffer.concat([
    box('ftyp', Buffer.from('avif\0\0\0\0mif1', 'latin1')),
    box('meta', Buffer.alloc(4), box('iprp', box('ipco', sizeBox(1, 1), sizeBox(3, 2)))),
    box('mdat', Buffer.from('pixels')),
  ]),
};

function sizeBox(width: number, height: number): Buffer {
  const size = Buffer.alloc(12);
  size.writeUInt32BE(width, 4);
  size.writeUInt32BE(height, 8);
  return box('ispe', size);
}

function box(type: string, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 8);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), content]);
}
