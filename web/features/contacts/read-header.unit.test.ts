import { expect, test } from 'vitest';
import { readHead } from './read-header.ts';

function read(text: string) {
  return readHead(new Blob([text]));
}

test.each([
  ['commas', 'email,name\na@x.org,Ada\n'],
  ['semicolons', 'email;name\r\na@x.org;Ada'],
  ['tabs', 'email\tname\ra@x.org\tAda\r'],
  ['a byte order mark and blank lines', '\uFEFF\r\n\nemail, name \na@x.org,Ada'],
  ['quotes', '"email","name"\n"a@x.org","Ada"'],
])('a file with %s', async (_with, text) => {
  expect(await read(text)).toEqual({ columns: ['email', 'name'], rows: [['a@x.org', 'Ada']] });
});

test('quoted fields can contain separators, line ends and quotes', async () => {
  expect(await read('email,"a ""b"", c"\na@x.org,"one\ntwo"')).toEqual({
    columns: ['email', 'a "b", c'],
    rows: [['a@x.org', 'one\ntwo']],
  });
});

test('a file with only a header has no first record', async () => {
  expect(await read('email')).toEqual({ columns: ['email'], rows: [] });
});

test.each([
  ['nothing', ''],
  ['no name', ' , ,\na,b,c'],
  ['no text', 'PK\u0003\u0004\0\0,x'],
])('a file with %s is none', async (_with, text) => {
  expect(await read(text)).toBeNull();
});
