import { expect, test } from 'vitest';
import { findMatchedMessages } from './find-matched-messages.ts';

const textsIn = (code: string) => findMatchedMessages('some.ts', code).map(({ text }) => text);

test('searches in messages and comparisons with texts are found', () => {
  for (const code of [
    "message.startsWith('from must')",
    'message.startsWith(UNVERIFIED)',
    '/exists/.test(error.message)',
    '/exists/.test((error as Error).message)',
    'PATTERN.exec(String(error.message))',
    "error.message.toLowerCase().includes('exists')",
    'error?.message.match(/exists/)',
    'fault === IS_EMPTY',
    "issues[0]!.message !== 'is required'",
    "(message ?? '').includes('exists')",
  ])
    expect(textsIn(code), code).toEqual([code]);
});

test('codes, reasons and other texts are not reported', () => {
  for (const code of [
    "error.code === 'CONFLICT'",
    "error.reason === 'over-quota'",
    'message !== null',
    'message === other',
    "message.text.includes('x')",
    "message[name].startsWith('x')",
    'text.startsWith(message)',
    "message.replace('cc', 'Cc')",
  ])
    expect(textsIn(code), code).toEqual([]);
});
