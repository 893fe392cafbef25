/**
 * Prepares an image for email before it is uploaded: at most 1,200 pixels wide, which is sharp on a high-density
 * screen, in a format that every email app shows, and rotated as the camera was held. The location is removed from
 * photographs.
 */
import { ApiError } from '../../api/client.ts';
import { editorTexts } from '../../texts/en/editor.ts';

const MAX_WIDTH = 1_200;
const JPEG_QUALITY = 0.86;
const DRAWINGS = new Set(['image/png', 'image/svg+xml']);
/** Metadata precedes the pixels. */
const EXIF_WITHIN = 128 * 1024;

/**
 * Returns the file itself if there is nothing to do, or if the browser cannot decode it; the server checks it anyway.
 */
export async function fitForMail(file: File): Promise<File> {
  // Drawing would keep only the first frame of an animation.
  if (file.type === 'image/gif') return file;
  const image = await decode(file);
  if (!image) {
    if (isHeic(file)) throw new ApiError(415, 'BAD_REQUEST', editorTexts.media.heic);
    return file;
  }
  const isCommon = file.type === 'image/png' || file.type === 'image/jpeg';
  const hasExif = file.type === 'image/jpeg' && (await containsExif(file));
  if (isCommon && image.width <= MAX_WIDTH && !hasExif) return file;
  const scale = Math.min(1, MAX_WIDTH / image.width);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  const context = canvas.getContext('2d')!;
  context.drawImage(image.source, 0, 0, canvas.width, canvas.height);
  if (image.source instanceof ImageBitmap) image.source.close();
  const isPhoto = !DRAWINGS.has(file.type) && (file.type === 'image/jpeg' || isOpaque(context));
  const type = isPhoto ? 'image/jpeg' : 'image/png';
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));
  if (!blob || (isCommon && !hasExif && blob.size > file.size)) return file;
  return new File([blob], file.name.replace(/\.\w+$/, isPhoto ? '.jpg' : '.png'), { type });
}

interface DecodedImage {
  source: ImageBitmap | HTMLImageElement;
  width: number;
  height: number;
}

async function decode(file: File): Promise<DecodedImage | null> {
  if (file.type === 'image/svg+xml') return decodeSvg(file);
  const source = await createImageBitmap(file).catch(() => null);
  return source && { source, width: source.width, height: source.height };
}

/** As an image, an SVG runs no scripts and loads nothing. It is drawn at twice its size. */
async function decodeSvg(file: File): Promise<DecodedImage | null> {
  const source = new Image();
  source.src = URL.createObjectURL(file);
  try {
    await source.decode();
    const width = Math.min((source.naturalWidth || 300) * 2, MAX_WIDTH);
    const ratio = source.naturalWidth ? source.naturalHeight / source.naturalWidth : 1;
    return { source, width, height: Math.max(1, Math.round(width * ratio)) };
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(source.src);
  }
}

export function isHeic({ type, name }: File): boolean {
  return /^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name);
}

async function containsExif(file: File): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, EXIF_WITHIN).arrayBuffer());
  return new TextDecoder('latin1').decode(head).includes('Exif\0\0');
}

function isOpaque(context: CanvasRenderingContext2D): boolean {
  const { data } = context.getImageData(0, 0, context.canvas.width, context.canvas.height);
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}
