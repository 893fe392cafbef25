import { expect, test } from 'vitest';
import { baseSubject, referencedIds } from './threading.ts';

test.each([
  ['', ''],
  ['   ', ''],
  ['Re:', ''],
  ['Re: Fwd: re:', ''],
  ['Hello', 'hello'],
  ['Re: Hello', 'hello'],
  ['RE:Hello', 'hello'],
  ['Re : Hello', 'hello'],
  ['Re[2]: Hello', 'hello'],
  ['Re (3): Hello', 'hello'],
  ['Fwd: Hello', 'hello'],
  ['FW: WG: AW: SV: Hello', 'hello'],
  ['回复：Hello', 'hello'],
  ['Re: [list] Re: Hello', 'hello'],
  ['[list] [other] Hello', 'hello'],
  ['Hello (fwd)', 'hello'],
  ['Hello (fwd) (FWD)', 'hello'],
  ['[list]', '[list]'],
  ['Re: [list]', '[list]'],
  ['  Many \t\r\n blanks  ', 'many blanks'],
  ['Result: good', 'result: good'],
  ['Reminder', 'reminder'],
  ['Invoice [42]', 'invoice [42]'],
  ['ÄRGER', 'ärger'],
  ['Re: Отв: Вопрос', 'вопрос'],
  ['I: am here', 'am here'],
  ['re', 're'],
  [`${'Re: '.repeat(100)}x`, 'x'],
])('the base subject of %j is %j', (subject, expected) => {
  expect(baseSubject(subject)).toBe(expected);
  expect(baseSubject(baseSubject(subject))).toBe(expected);
});

test('a long or hostile subject takes linear time', () => {
  expect(baseSubject('['.repeat(1_000_000)).length).toBe(1_000);
  expect(baseSubject(`${' '.repeat(500_000)}x${'(fwd)'.repeat(100_000)}`).length).toBeLessThan(1_000);
});

test('the nearest ancestor is last, and each id occurs once', () => {
  expect(referencedIds({ inReplyTo: null, references: [] })).toEqual([]);
  expect(referencedIds({ inReplyTo: '<c@x>', references: ['<a@x>', '<b@x>'] })).toEqual([
    '<a@x>',
    '<b@x>',
    '<c@x>',
  ]);
  expect(referencedIds({ inReplyTo: '<a@x>', references: ['<a@x>', '<b@x>'] })).toEqual(['<b@x>', '<a@x>']);
  expect(referencedIds({ inReplyTo: '<b@x>', references: ['<a@x>', '<b@x>', '<a@x>', '<b@x>'] })).toEqual([
    '<a@x>',
    '<b@x>',
  ]);
  expect(referencedIds({ inReplyTo: 'your message of Monday <a@x>', references: [] })).toEqual(['<a@x>']);
});

test('of too many ancestors the nearest 50 are kept', () => {
  const references = Array.from({ length: 1000 }, (_, at) => `<${at}@x>`);
  const ids = referencedIds({ inReplyTo: '<parent@x>', references });
  expect(ids).toHaveLength(50);
  expect(ids.at(-1)).toBe('<parent@x>');
  expect(ids[0]).toBe('<951@x>');
});
