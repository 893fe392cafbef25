/** Contrast of colours, written as #rrggbb (WCAG 2). */

export const DARK = '#23211d';
export const LIGHT = '#ffffff';

/** The contrast that WCAG 2 requires for normal text (level AA). */
const TEXT_CONTRAST = 4.5;
const STEPS = 20;

/** Returns true if white has more contrast on this colour than black. */
export function isDark(color: string): boolean {
  return luminanceOf(color) < 0.179;
}

export function readableOn(color: string): string {
  return isDark(color) ? LIGHT : DARK;
}

/**
 * Returns the colour itself if it is readable on the other one. Otherwise returns the nearest readable colour towards
 * black or white.
 */
export function makeReadable(color: string, on: string): string {
  const end = isDark(on) ? '#ffffff' : '#000000';
  for (let step = 0; step < STEPS; step += 1) {
    const mixed = mix(color, end, step / STEPS);
    if (contrastOf(mixed, on) >= TEXT_CONTRAST) return mixed;
  }
  return end;
}

/** Returns a contrast from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [low, high] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

/** `share` is that of the second colour, from 0 to 1. */
export function mix(one: string, other: string, share: number): string {
  const second = channelsOf(other);
  const mixed = channelsOf(one).map((value, at) => Math.round(value + (second[at]! - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}

/** The relative luminance. */
function luminanceOf(color: string): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}
