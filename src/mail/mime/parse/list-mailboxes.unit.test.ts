import { expect, test } from 'vitest';
import { parseMailbox } from '../address.ts';
import { listMailboxes } from './list-mailboxes.ts';

test.each([
  ['', []],
  [' , ,', []],
  ['ada@example.com', ['ada@example.com']],
  ['a@x.test,b@x.test ,', ['a@x.test', 'b@x.test']],
  ['a@x.test,\r\n b@x.test,\nc@x.test\r\n', ['a@x.test', 'b@x.test', 'c@x.test']],
  ['a@x.test; b@x.test', ['a@x.test', 'b@x.test']],
  ['"Hopper, Grace" <g@x.test>, b@x.test', ['"Hopper, Grace" <g@x.test>', 'b@x.test']],
  [String.raw`"a \", b" <a@x.test>, b@x.test`, [String.raw`"a \", b" <a@x.test>`, 'b@x.test']],
  ['a@x.test (Ada, of London), b@x.test', ['"Ada, of London" <a@x.test>', 'b@x.test']],
  ['Team: a@x.test, Bob <b@x.test>;, c@x.test', ['a@x.test', 'Bob <b@x.test>', 'c@x.test']],
  ['undisclosed-recipients:;', []],
  ['=?utf-8?q?Gr=C3=BC=C3=9Fe=2C_Ada?= <a@x.test>, b@x.test', ['"Grüße, Ada" <a@x.test>', 'b@x.test']],
  ['=?utf-8?B?PGV2ZUB4LnRlc3Q+LCA=?= <a@x.test>', ['"<eve@x.test>, " <a@x.test>']],
  ['"eve@x.test" <a@x.test>', ['"eve@x.test" <a@x.test>']],
  ['<a@x.test', ['a@x.test']],
])('the list %j names %j', (list, mailboxes) => {
  expect(listMailboxes(list)).toEqual(mailboxes);
  for (const mailbox of mailboxes) expect(parseMailbox(mailbox)).not.toBeNull();
});

test.each([
  'Lovelace, Ada <a@x.test>',
  'a@x.test b@x.test',
  '<a@x.test> <b@x.test>',
  'a@x.test <b@x.test> <c@x.test>',
  '"never closed, b@x.test',
  '=?utf-8?q?A=0D=0ABcc=3A_b=40x.test?= <a@x.test>',
  'a@x.test\r\nBcc: b@x.test',
  'A\nB <a@x.test>',
  'a\0@x.test',
  'a@x.test@y.test',
  'only a name',
])('the list %j has an entry that is not a mailbox', (list) => {
  expect(listMailboxes(list).map(parseMailbox)).toContain(null);
});
