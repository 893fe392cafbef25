import { expect, test } from 'vitest';
import { findVisibleText } from './find-visible-text.ts';

const find = (code: string) => findVisibleText('page.tsx', code).map(({ text }) => text);

test('text between tags and in spoken attributes is found, also behind a condition', () => {
  expect(find('<p>Hello {name}</p>')).toEqual(['Hello']);
  expect(find('<><b>Save</b></>')).toEqual(['Save']);
  expect(find('<p>{busy ? "Saving…" : t.save}</p>')).toEqual(['Saving…']);
  expect(find('<p>{count > 0 && `of ${total} rows`}</p>')).toEqual(['of rows']);
  expect(find('<button aria-label="Close" />')).toEqual(['Close']);
  expect(find('<Field label={`Name of ${it}`} hint="For you" />')).toEqual(['Name of', 'For you']);
});

test('texts of the catalogue, signs, classes and values are not found', () => {
  expect(find('<p className="flex">{t.title} · {count} × 2 &nbsp;</p>')).toEqual([]);
  expect(find('<input type="text" name="email" placeholder={t.hint} value="on" />')).toEqual([]);
  expect(find('<a href={`/x/${id}`} title={name}>{t.open(name)}</a>')).toEqual([]);
  expect(find('<p>{choose("long")}</p>')).toEqual([]);
});

test('the line is that of the text', () => {
  expect(findVisibleText('page.tsx', 'const a = 1;\nconst b = (\n  <p title="Big" />\n);')).toEqual([
    { line: 3, text: 'Big' },
  ]);
});
