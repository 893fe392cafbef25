/**
 * Messages like those that people receive, the same in each run: of about 10 kB with their headers, half of them plain
 * text and half with HTML as well, from many senders, in words as frequent as in a language (Zipf's law).
 */
const VOCABULARY = 20_000;
const SENDERS = 500;
const CONSONANTS = 'bcdfghklmnprstvwz';
const VOWELS = 'aeiou';

/** Returns a generator of numbers below 1 (xorshift). */
function randomFrom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const words = Array.from({ length: VOCABULARY }, (_, no) => {
  const random = randomFrom((no + 1) * 2_654_435_761);
  const syllables = 1 + Math.floor(random() * 3 + Math.log10(no + 1) / 3);
  const letter = (from: string) => from[Math.floor(random() * from.length)]!;
  return (
    Array.from({ length: syllables }, () => letter(CONSONANTS) + letter(VOWELS)).join('') + letter(CONSONANTS)
  );
});

function textOf(random: () => number, bytes: number): string[] {
  const lines: string[] = [];
  for (let length = 0, line = ''; length < bytes;) {
    // The logarithm of the rank is uniform.
    line += `${line === '' ? '' : ' '}${words[Math.floor(VOCABULARY ** random()) - 1]!}`;
    if (line.length < 70) continue;
    length += line.length + 2;
    lines.push(line);
    line = '';
  }
  return lines;
}

function senderOf(no: number): string {
  return `${words[(no * 7) % 997]}.${words[no % 499]}@${words[(no * 13) % SENDERS]}.example`;
}

/** Message number `no`, with CRLF line ends and without a final one. */
export function receivedMessage(no: number, to: string): string {
  const random = randomFrom(no * 40_503 + 1);
  const subject = textOf(random, 30)[0]!.slice(0, 50);
  const head = [
    `From: ${words[(no * 7) % 997]} ${words[no % 499]} <${senderOf(no % SENDERS)}>`,
    `To: ${to}`,
    `Subject: ${subject} ${no}`,
    `Date: ${new Date(1_790_000_000_000 + no * 60_000).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${no}.${process.pid}@${words[(no * 13) % SENDERS]}.example>`,
    'MIME-Version: 1.0',
  ];
  if (no % 2 === 0)
    return [...head, 'Content-Type: text/plain; charset=utf-8', '', ...textOf(random, 9_500)].join('\r\n');
  const lines = textOf(random, 4_000);
  const html = lines.map((line) => `<p style="margin:0 0 8px 0;color:#333">${line}</p>`);
  return [
    ...head,
    'Content-Type: multipart/alternative; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    ...lines,
    '--b',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<html><body>',
    ...html,
    '</body></html>',
    '--b--',
  ].join('\r\n');
}
