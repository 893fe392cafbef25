import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { parseAddress, parseMailbox } from '../address.ts';
import { compileMessageTemplate } from './message-template.ts';

type Values = Record<string, string>;

const HEAD = {
  to: parseAddress('ada@example.org')!,
  messageId: '<1@news.test>',
  date: new Date('2026-11-15T09:30:00Z'),
  headers: [['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click']] as [string, string][],
};

async function render(content: { subject?: string; html?: string; text?: string }, values: Values) {
  const letter = compileMessageTemplate<Values>(
    {
      from: parseMailbox('Nüws <hello@news.test>')!,
      cc: [],
      replyTo: [],
      subject: 'Hi',
      html: '<p>Hi</p>',
      text: 'Hi',
      ...content,
    },
    (name) => (recipient) => recipient[name] ?? null,
  );
  const raw = letter.render(values, HEAD);
  const source = raw.toString('latin1');
  expect(source).toMatch(/^[\r\n\t -~]*$/);
  expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  for (const line of source.split('\r\n')) expect(line.length).toBeLessThanOrEqual(76);
  const mail = await PostalMime.parse(raw);
  return { source, subject: mail.subject, html: trim(mail.html), text: trim(mail.text) };
}

function trim(text = ''): string {
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

test.each([
  ['a plain value', 'Ada'],
  ['nothing', ''],
  ['a value that looks like markup', '<b>"Ada" & \'co\'</b>'],
  ['a value with an equals sign', '=3D a=b'],
  ['accents and emoji', 'Žofie 📯'],
  ['a dot first', '.'],
  ['two dots', '..x'],
  ['From first', 'From here'],
  ['blanks around', ' x '],
  ['a full line of words', `${'word '.repeat(15)}end`],
  ['75 characters and a blank', `${'x'.repeat(75)} `],
  ['76 characters', 'x'.repeat(76)],
  ['a long word', 'x'.repeat(500)],
  ['equals signs at the edge', `${'x'.repeat(70)}=====`],
  ['several lines', 'one\ntwo\nthree'],
])('%s is escaped in HTML and unchanged in text', async (_, value) => {
  const escaped = value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
  const mail = await render(
    {
      html: '<p>Dear {{name}}, {{name}}{{name}}!</p>\n<p>{{none}}</p>',
      text: 'Dear {{name}}, {{name}}{{name}}!\n.',
    },
    { name: value },
  );
  expect(mail.html).toBe(`<p>Dear ${escaped}, ${escaped}${escaped}!</p>\n<p></p>`);
  expect(mail.text).toBe(`Dear ${value}, ${value}${value}!\n.`);
});

test('text that is mostly not ASCII is sent as base64, including its values', async () => {
  const text = '日本語の本文。'.repeat(40);
  const mail = await render({ html: `<p>${text}{{name}}</p>`, text: `${text}{{name}}` }, { name: 'あ<' });
  expect(mail.source).toContain('base64');
  expect([mail.html, mail.text]).toEqual([`<p>${text}あ&lt;</p>`, `${text}あ<`]);
});

test('a fallback is used and escaped once', async () => {
  const tag = '{{name,fallback=you & me}}';
  const mail = await render({ subject: `Hi ${tag}`, html: tag, text: tag }, {});
  expect([mail.subject, mail.html, mail.text]).toEqual(['Hi you & me', 'you &amp; me', 'you & me']);
});

test('a value cannot start a header', async () => {
  const mail = await render({ subject: 'Hi {{name}}' }, { name: 'x\r\nBcc: eve@example.org\r\n\r\nbody' });
  expect(mail.source).not.toMatch(/^bcc/im);
  expect(mail.subject).toBe('Hi x Bcc: eve@example.org body');
});

test('pieces of any length respect the line limit', async () => {
  for (let length = 60; length < 90; length++) {
    for (const last of ['x', ' ', '=', 'é']) {
      const before = 'y'.repeat(length) + last;
      const mail = await render({ html: `${before}{{name}}${before}`, text: '' }, { name: 'N' });
      expect(mail.html).toBe(`${before}N${before}`);
    }
  }
});
