/** Images in pasted text. An email can show an image that has a public address or is a part of the message. */

/** Web pages contain small transparent images for spacing. */
const LONGEST_SPACER = 200;
const IMAGE_DATA = /^data:(image\/(?:png|jpeg|gif|webp));base64,/i;

/**
 * `keep` can change the image. If it returns false, the image is removed. If a removed image was not a spacer,
 * `onLost` is called, once for all images.
 */
export function filterImages(
  html: string,
  keep: (image: HTMLImageElement) => boolean,
  onLost: () => void,
): string {
  if (!/<img\b/i.test(html)) return html;
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  let hasLost = false;
  for (const image of parsed.querySelectorAll('img')) {
    if (keep(image)) continue;
    if (!isSpacer(image)) hasLost = true;
    image.remove();
  }
  if (hasLost) onLost();
  return parsed.body.innerHTML;
}

/** True if other people can load it. */
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
    return new File([bytes], image.alt || `picture.${type!.slice('image/'.length)}`, { type: type! });
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
