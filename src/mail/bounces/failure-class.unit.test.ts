import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseReply } from '../smtp/reply.ts';
import { failureClass } from './failure-class.ts';
import { FAILURE_CLASSES } from './failure-classes.ts';

const replies = readFileSync(new URL('./failure-replies.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [expected = '', ...rest] = line.split(' | ');
    return { expected, reply: rest.join(' | ') };
  });

function classOf(text: string): string {
  const lines = text.split(String.raw`\n`);
  const dashed = lines.map(
    (line, at) => `${line.slice(0, 3)}${at < lines.length - 1 ? '-' : ' '}${line.slice(4)}`,
  );
  const reply = parseReply(dashed);
  return reply ? failureClass(reply) : 'no reply';
}

const classed = (text: string) => failureClass({ code: null, enhanced: null, text });

test('more than 300 replies of providers and mail servers get their class', () => {
  expect(replies.length).toBeGreaterThan(300);
  const wrong = replies.flatMap(({ expected, reply }) => {
    const found = classOf(reply);
    return found === expected ? [] : [`${reply}: ${found}, not ${expected}`];
  });
  expect(wrong).toEqual([]);
});

test('the replies cover every class', () => {
  expect(new Set(replies.map(({ expected }) => expected))).toEqual(new Set(FAILURE_CLASSES));
});

test('failures without a reply have a class as well', () => {
  expect(classed('connect ECONNREFUSED 127.0.0.1:25')).toBe('network');
  expect(classed('MX of example.com: no response within 5000 ms')).toBe('dns');
  expect(classed('The domain example.com does not accept email (null MX).')).toBe('bad_domain');
  expect(classed('No mail server of example.com matches its MTA-STS policy.')).toBe('tls');
  expect(classed('something else')).toBe('other');
});
