import type { Page } from 'playwright-core';

/** These are tried in order until the image is small enough. */
const QUALITIES = [0.8, 0.65, 0.5, 0.35];
const ENOUGH_BYTES = 40_000;

/** Converts a PNG with the browser that took it. The WebP is a third of the size. */
export async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const source = `(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    let blob;
    for (const quality of ${JSON.stringify(QUALITIES)}) {
      blob = await canvas.convertToBlob({ type: 'image/webp', quality });
      if (blob.size <= ${ENOUGH_BYTES}) break;
    }
    return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''));
  })()`;
  return Buffer.from(await page.evaluate<string>(source), 'base64');
}
