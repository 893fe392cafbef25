/** Reverses `trackHtml`: restores the original links and removes the pixel. */
import { renderPixel, trackHtml } from './track-html.ts';

export interface Untracking {
  /** Returns the original URL of a tracking link, and any other URL unchanged. */
  original(url: string): string;
  /** The URLs of the pixel. */
  pixels: string[];
}

export function untrackHtml(html: string, { original, pixels }: Untracking): string {
  const without = pixels.reduce((text, pixel) => text.replace(renderPixel(pixel), ''), html);
  return trackHtml(without, { click: original, pixel: null });
}
