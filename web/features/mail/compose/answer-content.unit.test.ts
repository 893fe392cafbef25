import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import {
  forwardedHtml,
  peopleToAnswer,
  quotedHtml,
  splitQuoted,
  textToHtml,
  withMark,
} from './answer-content.ts';

const OWN = { address: 'Ada@example.org' };

function message(parts: Partial<Message>): Message {
  return {
    direction: 'in',
    from: 'Bob <bob@example.org>',
    reply_to: [],
    to: ['ada@example.org'],
    cc: [],
    subject: 'Hello',
    html: null,
    text: 'Hi',
    created_at: '2026-11-05T12:00:00.000Z',
    ...parts,
  } as Message;
}

describe('an answer goes to', () => {
  test('the sender, or where the sender asks for it', () => {
    expect(peopleToAnswer(OWN, message({}), false)).toEqual({ to: ['Bob <bob@example.org>'], cc: [] });
    const elsewhere = message({ reply_to: ['list@example.org'] });
    expect(peopleToAnswer(OWN, elsewhere, false).to).toEqual(['list@example.org']);
  });

  test('all others, each once, and never to ourselves', () => {
    const to = ['ADA@example.org', 'Carol <carol@example.org>', 'bob@example.org'];
    const answered = peopleToAnswer(OWN, message({ to, cc: ['carol@EXAMPLE.org', 'dan@example.org'] }), true);
    expect(answered.cc).toEqual(['Carol <carol@example.org>', 'dan@example.org']);
  });

  test('the recipients of a message of our own', () => {
    const sent = message({ direction: 'out', from: 'ada@example.org', to: ['bob@example.org'] });
    expect(peopleToAnswer(OWN, sent, true)).toEqual({ to: ['bob@example.org'], cc: [] });
  });

  test('ourselves if there is nobody else', () => {
    const note = message({ from: 'ada@example.org' });
    expect(peopleToAnswer(OWN, note, false).to).toEqual(['ada@example.org']);
  });
});

test.each([
  ['Hello', 'Re', 'Re: Hello'],
  ['RE: Hello', 'Re', 'RE: Hello'],
  ['re : Hello', 'Re', 're : Hello'],
  ['Fw: Hello', 'Fwd', 'Fw: Hello'],
  ['Re: Hello', 'Fwd', 'Fwd: Re: Hello'],
] as const)('the subject %j marked with %s is %j', (subject, mark, expected) => {
  expect(withMark(subject, mark)).toBe(expected);
});

test('text becomes paragraphs and line breaks, with nothing that HTML would interpret', () => {
  expect(textToHtml('a < b\nc & "d"\n\ne')).toBe('<p>a &lt; b<br>c &amp; &quot;d&quot;</p><p>e</p>');
});

test('a quoted message leaves out images that are parts of it', () => {
  const html = '<p>Hi<img src="cid:1"><img src="https://example.org/a.png"></p>';
  const quoted = quotedHtml(message({ html }));
  expect(quoted).not.toContain('cid:1');
  expect(quoted).toContain('https://example.org/a.png');
});

test('a draft is split where its quoted message begins', () => {
  const quoted = quotedHtml(message({}));
  expect(splitQuoted(`<p>Mine</p>${quoted}`)).toEqual({ html: '<p>Mine</p>', quoted });
  expect(splitQuoted('<p>Mine</p>')).toEqual({ html: '<p>Mine</p>', quoted: '' });
});

test('a forwarded message names its people as text', () => {
  const forwarded = forwardedHtml(message({ cc: ['Dan <dan@example.org>'] }));
  expect(forwarded).toContain('Bob &lt;bob@example.org&gt;');
  expect(forwarded).toContain('Dan &lt;dan@example.org&gt;');
});
