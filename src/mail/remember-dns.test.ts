import { expect, test } from 'vitest';
import type { Dns, DnsAnswer } from './dns.ts';
import { rememberDns } from './remember-dns.ts';

function setUp() {
  let nowMs = 0;
  const asked: string[] = [];
  async function answer(name: string): Promise<DnsAnswer<never>> {
    asked.push(name);
    return { kind: 'none' };
  }
  const dns: Dns = { txt: answer, mx: answer, a: answer, aaaa: answer, cname: answer, host: answer };
  return { asked, dns: rememberDns(dns, () => nowMs), pass: (ms: number) => (nowMs += ms) };
}

test('who asks seldom gets a fresh answer each time', async () => {
  const { asked, dns, pass } = setUp();
  for (let round = 0; round < 500; round++) {
    await dns.txt('example.org');
    pass(30);
  }
  expect(asked).toHaveLength(500);
});

test('what is asked all the time is asked a number of times in a second', async () => {
  const { asked, dns, pass } = setUp();
  for (let round = 0; round < 2_000; round++) {
    await dns.txt(round % 2 === 0 ? 'example.org' : 'EXAMPLE.org');
    pass(1);
  }
  expect(asked).toHaveLength(100);
  await dns.mx('example.org');
  await dns.txt('other.example');
  expect(asked).toHaveLength(102);
});
