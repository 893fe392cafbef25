/** Images in pasted text. Mail can show an image that has a public address or is a part of the mail. */

/** Web pages contain small transparent images for spacing. */
const LONGEST_SPACER = 200;
const PICTURE_DATA = /^data:(image\/(?:png|jpeg|gif|webp));base64,/i;

/**
 * `keep` can change the image. If it returns false, the image is removed. If a removed image was not a spacer,
 * `onLost` is called, once for all images.
 */
export function sortPictures(
  html: string,
  keep: (picture: HTMLImageElement) => boolean,
  onLost: () => void,
): string {
  if (!/<img\b/i.test(html)) return html;
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  let hasLost = false;
  for (const picture of parsed.querySelectorAll('img')) {
    if (keep(picture)) continue;
    if (!isSpacer(picture)) hasLost = true;
    picture.remove();
  }
  if (hasLost) onLost();
  return parsed.body.innerHTML;
}

/** Whether other people can load it. */
export function isOnTheWeb(picture: HTMLImageElement): boolean {
  return /^(?:https?:\/\/|\{\{)/i.test(sourceOf(picture));
}

/** Returns null if the image is not embedded in the text. */
export function fileOf(picture: HTMLImageElement): File | null {
  const match = PICTURE_DATA.exec(sourceOf(picture));
  if (!match) return null;
  const [head, type] = match;
  try {
    const bytes = Uint8Array.from(atob(sourceOf(picture).slice(head.length)), (character) =>
      character.charCodeAt(0),
    );
    return new File([bytes], picture.alt || `picture.${type!.slice('image/'.length)}`, { type: type! });
  } catch {
    return null;
  }
}

function isSpacer(picture: HTMLImageElement): boolean {
  const source = sourceOf(picture);
  return source === '' || (source.startsWith('data:') && source.length < LONGEST_SPACER);
}

function sourceOf(picture: HTMLImageElement): string {
  return picture.getAttribute('src')?.trim() ?? '';
}
