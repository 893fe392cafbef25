import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Catalogue } from '../../intl/translate.ts';
import { ERROR_SENTENCES } from './errors.ts';
import { HEALTH_SENTENCES } from './health.ts';
import { NOTICE_SENTENCES } from './notices.ts';

/** The server puts these together from single words. */
const PUT_TOGETHER = new Set([
  'Only owners can do this.',
  'This key has read what an outsider wrote in the last 24 hours, so',
  'Receivers reject what others send as this domain.',
  'Receivers move to spam what others send as this domain.',
  'days have arrived.',
  'A person waits in the automation “',
  'people wait in the automation “',
  'A confirmation email could not be sent, and Posthorn has stopped trying.',
  'confirmation emails could not be sent, and Posthorn has stopped trying.',
]);

const written = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
  .map((file) => readFileSync(join('src', file), 'utf8'))
  .join('\n');

/** The server may write the sentences of a key, and what stands between its values, in different places. */
function piecesOf(key: string): string[] {
  return key.split(/\{\}|(?<=[.]) /).map((piece) => piece.trim());
}

test.each<[string, Catalogue]>([
  ['errors', ERROR_SENTENCES],
  ['health', HEALTH_SENTENCES],
  ['notices', NOTICE_SENTENCES],
])('the server writes every sentence of the catalogue of %s', (_name, catalogue) => {
  const unwritten = Object.keys(catalogue)
    .flatMap(piecesOf)
    .filter((piece) => !written.includes(piece) && !PUT_TOGETHER.has(piece));
  expect(unwritten).toEqual([]);
});

test('a translation has the values of its sentence', () => {
  for (const [key, translation] of Object.entries({
    ...ERROR_SENTENCES,
    ...HEALTH_SENTENCES,
    ...NOTICE_SENTENCES,
  })) {
    const places = key.split('{}').length - 1;
    const used = [...translation.matchAll(/\{(\d)\}/g)].map(([, no]) => Number(no));
    expect(Math.max(0, ...used), key).toBeLessThanOrEqual(places);
  }
});
