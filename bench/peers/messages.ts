/** Realistic messages of 10 kB: each has different words, and received mail is signed. */
import { generateKeyPairSync } from 'node:crypto';
import { createDkimSigner, dkimRecordValue } from '../../src/mail/auth/dkim.ts';
import type { SentMessage } from './smtp-sender.ts';
import type { DnsRecords } from '../../src/testing/dns-server.ts';

const WORDS = 20_000;
const BODY_BYTES = 9_600;
const LINE_BYTES = 72;
const LINE = 'It is a truth universally acknowledged that a benchmark is in want of a message.\r\n';
const SYLLABLES = 'ba ce di fo gu ha ke li mo nu pa re si to va we xi yo zu la ne ti ro su'.split(' ');

const vocabulary = Array.from({ length: WORDS }, (_, no) => {
  let word = '';
  for (let rest = no + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length];
  return word;
});

/** Mulberry32, so that the messages are the same in every run. */
let seed = 1;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Few words are frequent and most are rare, as in any language (Zipf's law). */
function nextWord(): string {
  return vocabulary[Math.floor(WORDS ** random()) - 1]!;
}

let isRepeating = false;
/** From now on all messages repeat one line, which costs a full-text index almost nothing. */
export function repeatOneLine(): void {
  isRepeating = true;
}

function writeBody(): string {
  if (isRepeating) return LINE.repeat(BODY_BYTES / LINE.length).trimEnd();
  const lines: string[] = [];
  let line = '';
  for (let bytes = 0; bytes < BODY_BYTES;) {
    const word = nextWord();
    if (line.length + word.length < LINE_BYTES) line += line === '' ? word : ` ${word}`;
    else {
      lines.push(line);
      bytes += line.length + 2;
      line = word;
    }
  }
  return lines.join('\r\n');
}

let serial = 0;
export function writeMessage(from: string, to: string): SentMessage {
  const no = ++serial;
  const domain = from.slice(from.indexOf('@') + 1);
  const raw = `From: Sender ${no} <${from}>\r\nTo: ${to}\r\nSubject: Message ${no} ${nextWord()}\r\nDate: ${new Date().toUTCString()}\r\nMessage-ID: <${process.pid}.${no}@${domain}>\r\n\r\n${writeBody()}`;
  return { from, to, raw };
}

/** Senders of one domain. */
const PEOPLE = 25;

/**
 * Creates mail from many people of these domains, each with SPF, DKIM and DMARC, all of which pass on this machine, to
 * these recipients in turns.
 */
export function createSignedMail(domains: readonly string[], recipients: readonly string[]) {
  const zone: Record<string, DnsRecords> = {};
  const signers = domains.map((domain) => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    zone[domain] = { TXT: ['v=spf1 ip4:127.0.0.1 -all'], MX: [{ priority: 10, exchange: `mx.${domain}` }] };
    zone[`mx.${domain}`] = { A: ['127.0.0.1'] };
    zone[`s1._domainkey.${domain}`] = { TXT: [dkimRecordValue(publicKey)] };
    zone[`_dmarc.${domain}`] = { TXT: ['v=DMARC1; p=reject'] };
    return { domain, signer: createDkimSigner({ domain, selector: 's1', privateKey }) };
  });
  return {
    zone,
    async write(count: number): Promise<SentMessage[]> {
      const messages: SentMessage[] = [];
      for (let no = 0; no < count; no++) {
        const { domain, signer } = signers[Math.floor(random() * signers.length)]!;
        const person = vocabulary[Math.floor(random() * PEOPLE)]!;
        const message = writeMessage(`${person}@${domain}`, recipients[serial % recipients.length]!);
        // The signature covers the line end before the final dot.
        const signature = await signer.sign(Buffer.from(`${message.raw}\r\n`));
        messages.push({ ...message, raw: `${signature.toString('latin1')}${message.raw}` });
      }
      return messages;
    },
  };
}
