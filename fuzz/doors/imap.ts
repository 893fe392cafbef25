/** Trials of IMAP: dialogues with hostile arguments, each on a connection of its own that has logged in. */
import { openImapDialogue } from '../../src/testing/clients/imap-dialogue.ts';
import { hostileText } from '../http/hostile.ts';
import { createRandom, shuffle, type Random } from '../random.ts';
import type { Target } from '../target.ts';
import type { World } from '../world.ts';
import type { DoorTrial } from './measured.ts';

const RANDOM = 300;
const DIALOGUE_LIMIT_MS = 10_000;

export function imapTrials(target: Target, world: World, seed: string): Iterable<() => DoorTrial> {
  const login = `LOGIN ${world.mailboxAddress} ${world.appPassword}`;
  const trial = (name: string, commands: string[]) => () => toTrial(target, login, name, commands);
  const fixed = Object.entries(FIXED).map(([name, make]) => trial(name, make()));
  const random = Array.from({ length: RANDOM }, (_, no) =>
    trial(`random ${no}`, randomCommands(createRandom(`${seed} imap ${no}`))),
  );
  return [...fixed, ...shuffle(random, createRandom(`${seed} imap`))];
}

function toTrial(target: Target, login: string, name: string, commands: string[]): DoorTrial {
  const all = [login, ...commands];
  const bytes = Buffer.from(all.map((command, at) => `t${at} ${command}\r\n`).join(''), 'latin1');
  const group = `IMAP ${name.replace(/ \d+$/, '')}`;
  const exchange = { name: `IMAP ${name}`, group, wire: { port: target.imapPort, bytes } };
  return {
    exchange,
    bytes: bytes.length,
    addresses: commands.length,
    run: () =>
      target.observe(exchange, DIALOGUE_LIMIT_MS, async () => {
        const imap = await openImapDialogue(target.imapPort);
        let text = '';
        try {
          for (const command of all) {
            // A tagged reply, or the end of the connection with BYE.
            imap.write(`t ${command}\r\n`);
            text = await imap.hear(/^(?:t (?:OK|NO|BAD)|\* BYE)[^\r\n]*\r\n/m);
            if (/^\* BYE/m.test(text)) break;
          }
        } finally {
          imap.drop();
        }
        return { status: text.includes('[SERVERBUG]') ? 500 : 200, retryAfter: null, text: text.slice(-300) };
      }),
  };
}

const append = (body: string) => `APPEND INBOX {${body.length}+}\r\n${body}`;
const mail = (body: string) => `From: a@people.test\r\nSubject: x\r\n\r\n${body}`;
const inInbox = (...commands: string[]) => ['SELECT INBOX', ...commands];

const FIXED: Record<string, () => string[]> = {
  'a message of 4 MB': () => [append(mail('word '.repeat(800_000)))],
  'a copy of everything, 4 times': () => inInbox(...Array.from({ length: 4 }, () => 'COPY 1:* INBOX')),
  'a message of 20,000 parts': () => [
    append(
      `From: a@people.test\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(20_000)}--b--\r\n`,
    ),
    ...inInbox('FETCH * (BODYSTRUCTURE ENVELOPE)'),
  ],
  'a message of 500 levels': () => [
    append(
      `From: a@people.test\r\n${Array.from({ length: 500 }, (_, no) => `Content-Type: multipart/mixed; boundary=b${no}\r\n\r\n--b${no}\r\n`).join('')}\r\nx`,
    ),
    ...inInbox('FETCH * (BODYSTRUCTURE)'),
  ],
  'the same part 2,000 times': () => inInbox(`FETCH 1 (${'BODY.PEEK[] '.repeat(2_000).trim()})`),
  'overlapping ranges': () => inInbox(`FETCH ${'1:*,'.repeat(4_000)}1 (BODY.PEEK[])`),
  'a search of 5,000 conditions': () => inInbox(`SEARCH ${'OR TEXT a '.repeat(5_000)}ALL`),
  'a search of 5,000 levels': () => inInbox(`SEARCH ${'('.repeat(5_000)}ALL${')'.repeat(5_000)}`),
  'a search for a long word': () => inInbox(`SEARCH TEXT "${'a'.repeat(20_000)}"`),
  'a deep folder': () => [`CREATE "${'a/'.repeat(400)}b"`, 'LIST "" "*%*%*%*%*%*%*%*b"'],
  '300 folders': () => Array.from({ length: 300 }, (_, no) => `CREATE "many${no}"`),
  'many flags': () =>
    inInbox(`STORE 1 +FLAGS (${Array.from({ length: 1_000 }, (_, no) => `f${no}`).join(' ')})`),
  'a thread of everything': () => inInbox('THREAD REFERENCES UTF-8 ALL', 'SORT (SUBJECT) UTF-8 ALL'),
};

const COMMANDS = [
  'SELECT',
  'EXAMINE',
  'STATUS INBOX',
  'LIST ""',
  'CREATE',
  'RENAME INBOX',
  'SUBSCRIBE',
  'SEARCH',
  'UID SEARCH TEXT',
  'FETCH 1',
  'FETCH 1:*',
  'UID FETCH 1:*',
  'STORE 1 +FLAGS',
  'COPY 1',
  'MOVE 9',
  'SORT (DATE) UTF-8',
  'THREAD REFERENCES UTF-8',
  'APPEND INBOX',
  'ENABLE',
  'ID',
  'GETQUOTA',
  'GETQUOTAROOT',
  'NAMESPACE',
  'UID EXPUNGE',
  'GETMETADATA',
];
const WORDS = [
  'INBOX',
  '(FLAGS BODY[])',
  'ALL',
  '1:*',
  '"%"',
  '""',
  '{3+}\r\nabc',
  '(',
  ')',
  '*',
  'BODY[1.2.3.HEADER]',
  '(\\Seen)',
  '4294967296',
  'NIL',
  '&AAA-',
  '"&2D8-"',
];

function randomCommands(random: Random): string[] {
  return ['SELECT INBOX'].concat(
    Array.from({ length: 1 + random.int(8) }, () => {
      const words = Array.from({ length: random.int(4) }, () =>
        random.chance(0.2) ? quoted(hostileText(random)) : random.pick(WORDS),
      );
      return [random.pick(COMMANDS), ...words].join(' ');
    }),
  );
}

function quoted(text: string): string {
  return `"${text.slice(0, 4_000).replaceAll(/[\r\n"\\]/g, '')}"`;
}
