/** Reverses `trackHtml`: restores the original links and removes the pixel. */
import { renderPixel, trackHtml } from './track-html.ts';

export interface Untracking {
  /** Returns the original URL of a tracking link, and any other URL unchanged. */
  original(url: string): string;
  /** The URL of the pixel. */
  pixel: string;
}

export function untrackHtml(html: string, { original, pixel }: Untracking): string {
  return trackHtml(html.replace(renderPixel(pixel), ''), { click: original, pixel: null });
}
