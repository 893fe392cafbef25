import type { Page } from 'playwright-core';

const QUALITY = 0.8;

/** A third of the size of a PNG; the browser that took the picture can also pack it. */
export async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const source = `(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${QUALITY} });
    return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''));
  })()`;
  return Buffer.from(await page.evaluate<string>(source), 'base64');
}
