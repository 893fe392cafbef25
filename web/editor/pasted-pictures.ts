/** Pictures inside of pasted text. Mail shows a picture that has an address on the web or is a part of the mail. */

/** Pages hold small transparent ones to keep their distances. */
const LONGEST_SPACER = 200;
const PICTURE_DATA = /^data:(image\/(?:png|jpeg|gif|webp));base64,/i;

/** `keep` may change the picture; one that it does not want is taken out, and `onLost` is told once. */
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

/** Null where the picture itself does not stand in the text. */
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
