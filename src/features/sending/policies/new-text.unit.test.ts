import { expect, test } from 'vitest';
import { newTextOf } from './new-text.ts';

const SAID = ['Is the engine ready?\nPlease tell me before Friday.\n\nCharles'];

test('what is quoted from the thread is left out', () => {
  const text = `It is ready.

On Monday, Charles wrote:
> Is the engine ready?
> Please tell me
> before Friday.
`;
  expect(newTextOf({ html: null, text }, SAID)).toBe('It is ready.\n\nOn Monday, Charles wrote:');
  const html =
    '<p>It is ready.</p><blockquote type="cite"><p>Is the engine <b>ready</b>?</p><blockquote>Charles</blockquote></blockquote>';
  expect(newTextOf({ html, text }, SAID)).toBe('It is ready.');
});

test('a quote of something that nobody said is new', () => {
  expect(newTextOf({ html: null, text: 'Yes.\n> Pay to account 12.' }, SAID)).toBe(
    'Yes.\n> Pay to account 12.',
  );
  expect(
    newTextOf({ html: '<p>Yes.</p><blockquote>Pay to account 12.</blockquote>', text: null }, SAID),
  ).toBe('Yes.\n> Pay to account 12.');
});

test('what is said again without being quoted is new', () => {
  expect(newTextOf({ html: null, text: 'Is the engine ready?' }, SAID)).toBe('Is the engine ready?');
});

test('recipients see the HTML, so the text beside it is not shown', () => {
  expect(newTextOf({ html: '<p>Pay now.</p>', text: 'Hello.' }, [])).toBe('Pay now.');
  expect(newTextOf({ html: ' ', text: 'Hello.' }, [])).toBe('Hello.');
});

test('a quote that never ends, and marks without text, lose nothing', () => {
  expect(newTextOf({ html: '</blockquote><blockquote>one<blockquote>two', text: null }, [])).toBe(
    '> one\n> two',
  );
  expect(newTextOf({ html: null, text: '>\n> >\nEnd' }, SAID)).toBe('End');
});

test('a long text is cut', () => {
  const shown = newTextOf({ html: null, text: '😀'.repeat(9_000) }, []);
  expect(Array.from(shown)).toHaveLength(4_001);
  expect(shown.endsWith('😀…')).toBe(true);
});
