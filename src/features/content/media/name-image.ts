import type { ImageType } from './read-image.ts';

const MAX_LENGTH = 200;
/** Control characters, and characters that change the direction of text and could hide the end of a name. */
const UNSHOWN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Makes a name that can be shown from the file name that a client sent. Some clients send the whole path. */
export function nameImage(filename: string | null, contentType: ImageType): string {
  const name = (filename ?? '').split(/[/\\]/).at(-1)!.replaceAll(UNSHOWN, '').trim();
  if (name === '') return `image.${contentType.slice('image/'.length)}`;
  return [...name].slice(0, MAX_LENGTH).join('').trim();
}
