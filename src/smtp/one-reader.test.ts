/** Irregular and hostile messages: the API, IMAP, JMAP and the sender check must read the same author and body. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { append, startImapWorld, type Box, type ImapWorld } from '../testing/fixtures/imap-world.ts';
import { deliverBytes, readEverywhere, type ReadMessage } from '../testing/fixtures/read-everywhere.ts';

interface Form {
  what: string;
  message: string;
  /** The author that all show. Null: none. */
  from: string | null;
  subject?: string;
  text?: string;
  /** True if DMARC fails because there is not exactly one usable author. */
  fails?: true;
}

const BANK = 'ceo@bank.example';
const EVE = 'eve@evil.example';
const REST = 'To: ada@harbour.test\r\nSubject: Money\r\n';
const BODY = '\r\nHurry.\r\n';

/** Forms of the From field, followed by other fields and a body. */
function author(what: string, field: string, from: string | null, fails?: true): Form {
  return {
    what,
    message: `${field}\r\n${REST}${BODY}`,
    from,
    subject: 'Money',
    text: 'Hurry.',
    ...(fails ? { fails } : {}),
  };
}

/** Everything is the body. */
function headless(what: string, message: string, text: string): Form {
  return { what, message, from: null, subject: '', text, fails: true };
}

const AUTHORS: Form[] = [
  author('a plain author', `From: Eve <${EVE}>`, EVE),
  author('no From', 'X-From: x', null, true),
  author('an empty From', 'From:', null, true),
  author('two From fields', `From: ${EVE}\r\nFrom: ${BANK}`, EVE, true),
  author('two From fields, the second in capitals', `From: ${EVE}\r\nFROM: ${BANK}`, EVE, true),
  author('two authors', `From: ${EVE}, ${BANK}`, EVE, true),
  author('an empty group', 'From: staff:;', null, true),
  author('an empty group that looks like an address', `From: ${BANK} :;`, null, true),
  author('a quoted group that looks like an address', `From: "${BANK}":;`, null, true),
  author('a group with one member', `From: ${BANK}: Eve <${EVE}>;`, EVE),
  author('a group with two members', `From: us: ${EVE}, ${BANK};`, EVE, true),
  author('an address as a name', `From: ${BANK} <${EVE}>`, EVE),
  author('a quoted address as a name', `From: "${BANK}" <${EVE}>`, EVE),
  author('an encoded address as a name', `From: =?utf-8?q?ceo=40bank.example?= <${EVE}>`, EVE),
  author('an encoded name and address', `From: =?utf-8?B?${btoa(`Eve <${EVE}>`)}?=`, EVE),
  author('an address in a comment', `From: ${EVE} (${BANK})`, EVE),
  author('a comment in a comment', `From: Eve <${EVE}> (a (b))`, EVE),
  author('two addresses in brackets', `From: <${EVE}> <${BANK}>`, EVE, true),
  author('two addresses without a comma', `From: ${EVE} ${BANK}`, EVE, true),
  author(
    'a quoted local part with an address',
    `From: "${BANK},"@evil.example`,
    'ceo_bank.example_@evil.example',
    true,
  ),
  author('two at signs', `From: ${BANK}@evil.example`, 'ceo_bank.example@evil.example', true),
  author('a route', `From: <@bank.example:${EVE}>`, EVE),
  author('a bracket that is not closed', `From: Eve <${EVE}`, EVE),
  author('a name with a comma', `From: Evil, Eve <${EVE}>`, EVE),
  author('a space before the colon', `From : ${EVE}`, EVE),
  author('a folded author', `From: Eve\r\n\t<${EVE}>`, EVE),
  author('a badly wrapped author', `From: Eve\r\nEvil <${EVE}>`, EVE),
  author('a line break in the name of the field', `X-A: b\r\nFrom\r\n : ${BANK}\r\nFrom: ${EVE}`, EVE),
  author('a CR in the author', `X-A: b\rFrom: ${BANK}\r\nFrom: ${EVE}`, EVE),
  author('NUL in the author', `From: Eve\0 <eve\0@evil.example>`, EVE),
  author('NUL before a name', `X-A: b\r\n\0From: ${BANK}\r\nFrom: ${EVE}`, EVE),
  author('letters outside ASCII', `From: Ev\xe9 <${EVE}>`, EVE),
  author('a letter that nobody sees', 'From: eve@evil.\u200bexample', EVE, true),
  author('a very long name', `From: ${'x'.repeat(5_000)} <${EVE}>`, EVE),
  author('a local name', 'From: root', 'root', true),
  author('an unknown field before it that is broken', `broken line\r\nFrom: ${EVE}`, null, true),
];
// The last one has no header at all.
Object.assign(AUTHORS.at(-1)!, {
  subject: '',
  text: `broken line From: ${EVE} To: ada@harbour.test Subject: Money Hurry.`,
});

const SECTIONS: Form[] = [
  headless('a space at the start', ` x\r\nFrom: ${BANK}\r\n${BODY}`, `x From: ${BANK} Hurry.`),
  headless(
    'a space before From',
    ` From: ${BANK}\r\n${REST}${BODY}`,
    `From: ${BANK} To: ada@harbour.test Subject: Money Hurry.`,
  ),
  headless('a tab at the start', `\tx: y\r\nFrom: ${BANK}\r\n${BODY}`, `x: y From: ${BANK} Hurry.`),
  headless(
    'an empty first line',
    `\r\nFrom: ${BANK}\r\n${REST}${BODY}`,
    `From: ${BANK} To: ada@harbour.test Subject: Money Hurry.`,
  ),
  headless('a first line without a colon', `Hello\r\nFrom: ${BANK}\r\n${BODY}`, `Hello From: ${BANK} Hurry.`),
  headless('no header', 'Hello Ada,\r\n\r\nhow are you?\r\n', 'Hello Ada, how are you?'),
  headless('one line', 'Hello\r\n', 'Hello'),
  headless('NUL at the start', `\0From: ${BANK}\r\n${BODY}`, `\ufffdFrom: ${BANK} Hurry.`),
  {
    what: 'the first line of an mbox',
    message: `From ${BANK} Mon Nov 16 09:00:00 2026\r\nFrom: ${EVE}\r\n${REST}${BODY}`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'a broken line in the header',
    message: `From: ${EVE}\r\nthis is broken\r\n${REST}${BODY}`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'a badly wrapped subject',
    message: `From: ${EVE}\r\nSubject: A long subject that was\r\nwrapped badly\r\nTo: ada@harbour.test\r\n${BODY}`,
    from: EVE,
    subject: 'A long subject that was wrapped badly',
    text: 'Hurry.',
  },
  {
    what: 'no empty line before the body',
    message: `From: ${EVE}\r\nSubject: Money\r\nHurry, please.\r\nNote: now.\r\n\r\nThanks.\r\n`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry, please. Note: now. Thanks.',
  },
  { what: 'no body', message: `From: ${EVE}\r\nSubject: Money\r\n`, from: EVE, subject: 'Money', text: '' },
  {
    what: 'two subjects',
    message: `From: ${EVE}\r\nSubject: Old\r\nSubject: Money\r\n${BODY}`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'two lists of recipients',
    message: `From: ${EVE}\r\nTo: a@x.example\r\nTo: b@x.example\r\nSubject: Money\r\n${BODY}`,
    from: EVE,
    subject: 'Money',
  },
  {
    what: 'CR CR LF at the ends of lines',
    message: `From: ${EVE}\r\r\nSubject: Money\r\r\n\r\r\nHurry.\r\r\n`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'From in the header of a part',
    message: `Subject: Money\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nFrom: ${BANK}\r\n\r\nHurry.\r\n--b--\r\n`,
    from: null,
    subject: 'Money',
    text: 'Hurry.',
    fails: true,
  },
  {
    what: 'a part without a header',
    message: `From: ${EVE}\r\nSubject: Money\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nHurry up\r\n\r\nplease.\r\n--b--\r\n`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry up please.',
  },
  {
    what: 'a broken line in the header of a part',
    message: `From: ${EVE}\r\nSubject: Money\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nX-A: b\r\nbroken\r\nContent-Type: text/plain\r\n\r\nHurry.\r\n--b--\r\n`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'a multipart without parts',
    message: `From: ${EVE}\r\nSubject: Money\r\nContent-Type: multipart/mixed; boundary=b\r\n${BODY}`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'a media type that is followed by other characters',
    message: `From: ${EVE}\r\nSubject: Money\r\nContent-Type: text/plain>\r\n${BODY}`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'an alternative that is empty',
    message: `From: ${EVE}\r\nSubject: Money\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\nHurry.\r\n--b\r\n\r\n\r\n--b--\r\n`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'a Message-ID without brackets',
    message: `From: ${EVE}\r\nSubject: Money\r\nMessage-ID: 1@evil.example\r\n${BODY}`,
    from: EVE,
    subject: 'Money',
    text: 'Hurry.',
  },
  {
    what: 'very many fields',
    message: `${'X-A: b\r\n'.repeat(10_500)}From: ${BANK}\r\n${REST}${BODY}`,
    from: null,
    subject: '',
    text: 'Hurry.',
    fails: true,
  },
  {
    what: 'a very long field',
    message: `From: ${EVE}\r\nX-A: ${'y'.repeat(1_100_000)}\r\nFrom: ${BANK}\r\n${BODY}`,
    from: EVE,
    subject: '',
    text: 'Hurry.',
  },
];
const HTML = 'Content-Type: text/html; charset=utf-8\r\n\r\n<p>Hurry <b>up</b>.</p>\r\n';

/** Dates, references and HTML bodies. */
function origin(what: string, fields: string, body: string = BODY): Form {
  const text = body === BODY ? { text: 'Hurry.' } : {};
  return {
    what,
    message: `From: ${EVE}\r\n${REST}${fields}\r\n${body}`,
    from: EVE,
    subject: 'Money',
    ...text,
  };
}

const ORIGINS: Form[] = [
  origin('a date', 'Date: Mon, 16 Nov 2026 09:00:00 +0100'),
  origin('two dates', 'Date: Mon, 16 Nov 2026 09:00:00 +0100\r\nDate: Tue, 17 Nov 2026 09:00:00 -0500'),
  origin('a date without a day and seconds', 'Date: 16 Nov 2026 09:00 GMT'),
  origin('a date in a time zone with a name', 'Date: Mon, 16 Nov 2026 09:00:00 PST'),
  origin('a date with a comment', 'Date: Mon, 16 Nov 2026 09:00:00 +0100 (CET)'),
  origin('a folded date', 'Date: Mon,\r\n 16 Nov 2026\r\n\t09:00:00 +0100'),
  origin('a date that is none', 'Date: soon'),
  origin('a date before 1970', 'Date: Thu, 13 Feb 1969 23:32:54 -0330'),
  origin('an In-Reply-To without brackets', 'In-Reply-To: 1@x.example'),
  origin('references', 'References: <1@x.example> <2@x.example>\r\nIn-Reply-To: <2@x.example>'),
  origin('folded references', 'References: <1@x.example>\r\n <2@x.example>\r\n\t<3@x.example>'),
  origin('references with commas and text', 'References: <1@x.example>, see <2@x.example>'),
  origin('In-Reply-To with a comment', 'In-Reply-To: Your message of today (<1@x.example>)'),
  origin('HTML alone', 'MIME-Version: 1.0', HTML),
  origin(
    'HTML in a nested part without an end',
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: multipart/alternative; boundary=a-b\r\n\r\n--a-b\r\n\r\nHurry up.\r\n--a-b\r\n${HTML}--a--\r\n`,
  ),
];
const FORMS = [...AUTHORS, ...SECTIONS, ...ORIGINS];

let world: ImapWorld;
let read: ReadMessage[];

beforeAll(async () => {
  world = await startImapWorld();
  world.dns.zone['_dmarc.bank.example'] = { TXT: ['v=DMARC1; p=reject'] };
  const box: Box = await world.freshBox();
  for (const { message } of FORMS)
    expect(await deliverBytes(world.server.smtpPort, box.address, toBytes(message))).toMatch(/^250/);
  read = await readEverywhere(world, box);
}, 300_000);
afterAll(() => world.close());

/** Latin-1 where possible, otherwise UTF-8. */
function toBytes(text: string): Buffer {
  return Buffer.from(text, /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf8');
}

test.each(FORMS.map((form, at) => ({ ...form, at })))(
  'with $what the API, IMAP and JMAP show the same message',
  ({ at, from, subject, text, fails }) => {
    const { folder, dmarc, raw, api, imap, jmap, origin: shown, threads } = read[at]!;
    const { text: apiText, html, files, ...fields } = api;
    expect(imap).toEqual(fields);
    expect(jmap).toEqual({ ...fields, text: apiText ?? jmap.text, html, files });
    expect(shown.jmap).toEqual(shown.imap);
    expect(threads[1]).toBe(threads[0]);
    expect(fields.from).toBe(from);
    if (subject !== undefined) expect(fields.subject).toBe(subject);
    if (text !== undefined) expect(apiText ?? '').toBe(text);
    expect(raw).toMatch(/^Authentication-Results: .*dmarc=/m);
    expect({ folder, dmarc }).toEqual(
      fails ? { folder: 'spam', dmarc: 'fail' } : { folder: 'inbox', dmarc: 'none' },
    );
  },
);

test.each(SECTIONS.map((form, at) => ({ ...form, at: at + AUTHORS.length })))(
  'with $what another parser finds the same message in the stored bytes',
  ({ at, what }) => {
    const { api, other } = read[at]!;
    // Parsers choose one of several fields, and show broken parts in other ways.
    if (/^two |NUL|media type|alternative|Message-ID/.test(what)) return;
    const text = /part/.test(what) ? null : (api.text ?? '');
    expect({ ...other, name: null, text: text && (other.text ?? '') }).toEqual({ ...api, name: null, text });
  },
);

test('messages that an email app stores as they are show the same through the API, IMAP and JMAP', async () => {
  const box = await world.freshBox();
  const imap = await world.logIn(box);
  const forms = FORMS.filter(({ message }) => message.length < 10_000 && !/[\0\u0100-\uffff]/.test(message));
  for (const { message } of forms) {
    const bytes = toBytes(message).toString('latin1');
    expect(await append(imap, bytes)).toMatch(/OK \[APPENDUID/);
  }
  imap.drop();
  const stored = await readEverywhere(world, box);
  expect(stored).toHaveLength(forms.length);
  for (const { raw, api, imap: viaImap, jmap } of stored) {
    const { text, html, files, ...fields } = api;
    expect([raw, viaImap]).toEqual([raw, fields]);
    expect([raw, jmap]).toEqual([raw, { ...fields, text: text ?? jmap.text, html, files }]);
  }
});
