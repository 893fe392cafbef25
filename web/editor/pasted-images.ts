/** Images in pasted text. An email can show an image that has a public address or is a part of the message. */
import type { PasteStep } from './pasted-html.ts';

const HAS_IMAGE = /<img\b/i;
/** Web pages contain small transparent images for spacing. */
const LONGEST_SPACER = 200;
const IMAGE_DATA = /^data:(image\/(?:png|jpeg|gif|webp));base64,/i;

/**
 * `keep` can change the image. If it returns false, the image is removed. If a removed image was not a spacer,
 * `onLost` is called, once for all images.
 */
export function filterImages(keep: (image: HTMLImageElement) => boolean, onLost: () => void): PasteStep {
  return {
    applies: HAS_IMAGE,
    change(page) {
      let hasLost = false;
      for (const image of page.querySelectorAll('img')) {
        if (keep(image)) continue;
        if (!isSpacer(image)) hasLost = true;
        image.remove();
      }
      if (hasLost) onLost();
    },
  };
}

/**
 * Takes images out of the paragraphs that Google Docs, Word and web pages have them in. In the editor an image is a block
 * of its own, and an image at the start of a paragraph would leave an empty line above it.
 */
export const LIFTED_IMAGES: PasteStep = { applies: HAS_IMAGE, change: liftImages };

function liftImages(page: Document): void {
  for (const image of page.querySelectorAll('img')) {
    const line = image.closest<HTMLElement>('p, h1, h2, h3, h4, h5, h6');
    if (!line || hasTextBefore(line, image)) continue;
    line.before([...line.childNodes].find((part) => part.contains(image))!);
    if (line.textContent.trim() === '' && !line.querySelector('img')) line.remove();
  }
}

function hasTextBefore(line: HTMLElement, image: HTMLImageElement): boolean {
  const before = line.ownerDocument.createRange();
  before.setStart(line, 0);
  before.setEndBefore(image);
  return before.toString().trim() !== '';
}

/** Whether other people can load it. */
export function isOnTheWeb(image: HTMLImageElement): boolean {
  return /^(?:https?:\/\/|\{\{)/i.test(sourceOf(image));
}

/** Returns null if the image is not embedded in the text. */
export function fileOf(image: HTMLImageElement): File | null {
  const match = IMAGE_DATA.exec(sourceOf(image));
  if (!match) return null;
  const [head, type] = match;
  try {
    const bytes = Uint8Array.from(atob(sourceOf(image).slice(head.length)), (character) =>
      character.charCodeAt(0),
    );
    return new File([bytes], image.alt || `image.${type!.slice('image/'.length)}`, { type: type! });
  } catch {
    return null;
  }
}

function isSpacer(image: HTMLImageElement): boolean {
  const source = sourceOf(image);
  return source === '' || (source.startsWith('data:') && source.length < LONGEST_SPACER);
}

function sourceOf(image: HTMLImageElement): string {
  return image.getAttribute('src')?.trim() ?? '';
}
