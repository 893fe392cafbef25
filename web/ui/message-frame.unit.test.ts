import { expect, test } from 'vitest';
import { frameDocument } from './message-frame.tsx';

function shown(html: string, dark: boolean): string {
  return frameDocument(html, { images: false, dark }).split('</style>').slice(1).join('</style>');
}

function sheet(condition: string): string {
  return `<style>@media ${condition}{p{color:red}}</style>`;
}

test('a preview is in the chosen mode, however the condition for it is written', () => {
  for (const before of ['', 'screen and ', 'only screen and (max-width:600px) and ']) {
    const dark = sheet(`${before}(prefers-color-scheme: dark)`);
    const light = sheet(`${before}( PREFERS-color-scheme:LIGHT )`);
    const [applies, never] = [sheet(`${before}(min-width:0)`), sheet(`${before}(max-width:0)`)];
    expect([shown(dark, true), shown(dark, false)]).toEqual([applies, never]);
    expect([shown(light, true), shown(light, false)]).toEqual([never, applies]);
  }
  const meta =
    '<meta name="color-scheme" content="light dark"><style>:root{color-scheme: light dark}</style>';
  expect(shown(meta, true)).toBe(
    '<meta name="color-scheme" content="dark"><style>:root{color-scheme: dark}</style>',
  );
});
