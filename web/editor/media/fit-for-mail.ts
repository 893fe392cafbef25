/**
 * Makes an image fit for mail before it is uploaded: at most 1,200 pixels wide, which is sharp on a screen with two
 * pixels for one, in a format that every email app shows, and turned as the camera was held. A photograph loses the
 * place where it was taken.
 */
import { ApiError } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';

const MAX_WIDTH = 1_200;
const JPEG_QUALITY = 0.86;
const DRAWINGS = new Set(['image/png', 'image/svg+xml']);
/** Metadata is in front of the pixels. */
const EXIF_WITHIN = 128 * 1024;

/** Returns the file itself if there is nothing to do, or if the browser cannot read it; the server checks it anyway. */
export async function fitForMail(file: File): Promise<File> {
  // Drawing would keep only the first picture of an animation.
  if (file.type === 'image/gif') return file;
  const picture = await decode(file);
  if (!picture) {
    if (isHeic(file)) throw new ApiError(415, 'BAD_REQUEST', texts.editor.media.heic);
    return file;
  }
  const isCommon = file.type === 'image/png' || file.type === 'image/jpeg';
  const hasExif = file.type === 'image/jpeg' && (await containsExif(file));
  if (isCommon && picture.width <= MAX_WIDTH && !hasExif) return file;
  const scale = Math.min(1, MAX_WIDTH / picture.width);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext('2d')!;
  context.drawImage(picture.source, 0, 0, canvas.width, canvas.height);
  if (picture.source instanceof ImageBitmap) picture.source.close();
  const isPhoto = !DRAWINGS.has(file.type) && (file.type === 'image/jpeg' || isOpaque(context));
  const type = isPhoto ? 'image/jpeg' : 'image/png';
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));
  if (!blob || (isCommon && !hasExif && blob.size > file.size)) return file;
  return new File([blob], file.name.replace(/\.\w+$/, isPhoto ? '.jpg' : '.png'), { type });
}

interface Picture {
  source: ImageBitmap | HTMLImageElement;
  width: number;
  height: number;
}

async function decode(file: File): Promise<Picture | null> {
  if (file.type === 'image/svg+xml') return decodeSvg(file);
  const source = await createImageBitmap(file).catch(() => null);
  return source && { source, width: source.width, height: source.height };
}

/** As an image, an SVG runs no scripts and loads nothing. It is drawn with two pixels for one. */
async function decodeSvg(file: File): Promise<Picture | null> {
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
