/**
 * Makes an image fit for mail before it is uploaded: at most 1,200 pixels wide, which is sharp on a screen with two
 * pixels for one, and in a format that every mail program shows.
 */
const MAX_WIDTH = 1_200;
const JPEG_QUALITY = 0.86;

/** Returns the file itself if there is nothing to do, or if the browser cannot read it; the server checks it anyway. */
export async function fitForMail(file: File): Promise<File> {
  // Drawing would keep only the first picture of an animation.
  if (file.type === 'image/gif') return file;
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (!bitmap) return file;
  const isCommon = file.type === 'image/png' || file.type === 'image/jpeg';
  if (isCommon && bitmap.width <= MAX_WIDTH) return file;
  const scale = Math.min(1, MAX_WIDTH / bitmap.width);
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext('2d')!.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const type = file.type === 'image/jpeg' ? 'image/jpeg' : 'image/png';
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, JPEG_QUALITY));
  if (!blob || (isCommon && blob.size > file.size)) return file;
  return new File([blob], file.name.replace(/\.\w+$/, type === 'image/jpeg' ? '.jpg' : '.png'), { type });
}
