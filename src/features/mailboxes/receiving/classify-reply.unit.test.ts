import { expect, test } from 'vitest';
import { parseNow } from '../../../mail/mime/parse/parse-message.ts';
import { classifyReply } from './classify-reply.ts';

interface Form {
  from?: string;
  subject?: string;
  /** The sender of the envelope. */
  mailFrom?: string;
  isSpam?: boolean;
  more?: string[];
}

const PERSON = 'Grace <grace@people.example>';
const REPORT = 'Content-Type: multipart/report; report-type=';

function classify({
  from = PERSON,
  subject = 'Re: Hello',
  mailFrom = 'grace@people.example',
  isSpam = false,
  more = [],
}: Form) {
  const lines = [
    `From: ${from}`,
    'To: box@harbour.test',
    `Subject: ${subject}`,
    'Message-ID: <x@people.example>',
    ...more,
  ];
  return classifyReply({
    parsed: parseNow(Buffer.from([...lines, '', 'Text', ''].join('\r\n'))),
    mailFrom,
    isSpam,
  });
}

test.each<[string, Form]>([
  ['an answer', {}],
  ['an answer with another subject', { subject: 'My question' }],
  ['an answer from a phone', { more: ['X-Mailer: iPhone Mail (20H19)'] }],
  ['Auto-Submitted: no', { more: ['Auto-Submitted: no'] }],
  ['an answer about an office', { subject: 'Re: Out of the office furniture' }],
  ['a high priority', { more: ['Precedence: first-class', 'Importance: high'] }],
  ['a request for a receipt', { more: ['Disposition-Notification-To: grace@people.example'] }],
  ['an answer from a shared address', { from: 'Support <support@people.example>' }],
])('%s is written by a person', (_name, form) => {
  expect(classify(form)).toBe('person');
});

test.each<[string, Form]>([
  ['RFC 3834', { more: ['Auto-Submitted: auto-replied'] }],
  [
    'RFC 3834 with a parameter',
    { more: ['Auto-Submitted: auto-replied; owner-email="grace@people.example"'] },
  ],
  ['RFC 3834 with an empty envelope sender', { more: ['Auto-Submitted: auto-replied'], mailFrom: '' }],
  [
    'Sieve vacation',
    { subject: 'Auto: Hello', more: ['Auto-Submitted: auto-replied (vacation)'], mailFrom: '' },
  ],
  [
    'Gmail',
    {
      subject: 'Away Re: Hello',
      more: ['Precedence: bulk', 'X-Autoreply: yes', 'Auto-Submitted: auto-replied'],
    },
  ],
  [
    'Exchange in English',
    { subject: 'Automatic reply: Hello', more: ['Auto-Submitted: auto-generated'], mailFrom: '' },
  ],
  [
    'Exchange in German',
    { subject: 'Automatische Antwort: Hello', more: ['Auto-Submitted: auto-generated'], mailFrom: '' },
  ],
  [
    'Exchange in French',
    { subject: 'Réponse automatique : Hello', more: ['Auto-Submitted: auto-generated'] },
  ],
  [
    'Exchange in Spanish',
    { subject: 'Respuesta automática: Hello', more: ['Auto-Submitted: auto-generated'] },
  ],
  [
    'Exchange in Italian',
    { subject: 'Risposta automatica: Hello', more: ['Auto-Submitted: auto-generated'] },
  ],
  ['Exchange in Dutch', { subject: 'Automatisch antwoord: Hello', more: ['Auto-Submitted: auto-generated'] }],
  [
    'Exchange in Portuguese',
    { subject: 'Resposta automática: Hello', more: ['Auto-Submitted: auto-generated'] },
  ],
  [
    'Exchange in Polish',
    { subject: 'Automatyczna odpowiedź: Hello', more: ['Auto-Submitted: auto-generated'] },
  ],
  ['Exchange in Swedish', { subject: 'Automatiskt svar: Hello', more: ['Auto-Submitted: auto-generated'] }],
  ['Exchange in Japanese', { subject: '自動応答: Hello', more: ['Auto-Submitted: auto-generated'] }],
  ['old Exchange', { subject: 'Out of Office AutoReply: Hello' }],
  ['Notes', { subject: 'Abwesend: Hello' }],
  ['qmail autoresponder', { more: ['Precedence: auto_reply'] }],
  ['X-Autorespond', { more: ['X-Autorespond: Re: Hello'] }],
  ['X-Autoreply', { more: ['X-Autoreply: yes'] }],
])('an absence in the form of %s is automatic', (_name, form) => {
  expect(classify(form)).toBe('automatic');
});

test.each<[string, Form]>([
  [
    'a delivery report',
    { from: 'MAILER-DAEMON@people.example', more: [`${REPORT}delivery-status; boundary=x`], mailFrom: '' },
  ],
  ['a delivery report in the name of a person', { more: [`${REPORT}delivery-status; boundary=x`] }],
  ['a read receipt', { subject: 'Read: Hello', more: [`${REPORT}disposition-notification; boundary=x`] }],
  [
    'a read receipt that is marked as automatic',
    { more: ['Auto-Submitted: auto-replied', `${REPORT}disposition-notification; boundary=x`] },
  ],
  ['a complaint', { more: [`${REPORT}feedback-report; boundary=x`] }],
  ['a bounce of qmail', { from: 'MAILER-DAEMON@people.example', subject: 'failure notice', mailFrom: '' }],
  [
    'a bounce of Exim',
    {
      from: 'Mail Delivery System <Mailer-Daemon@people.example>',
      more: ['X-Failed-Recipients: a@b.example'],
    },
  ],
  ['a bounce of Gmail in the name of a person', { more: ['X-Failed-Recipients: a@b.example'] }],
  ['postmaster', { from: 'postmaster@people.example' }],
  ['a list', { more: ['List-Id: <x.example.org>'] }],
  ['a list that somebody answers on', { more: ['List-Post: <mailto:x@example.org>', 'Precedence: list'] }],
  ['a newsletter', { more: ['List-Unsubscribe: <https://example.org/u>'] }],
  ['a ticket system', { more: ['Auto-Submitted: auto-generated', 'X-Auto-Response-Suppress: All'] }],
  ['a notice', { more: ['Auto-Submitted: auto-notified'] }],
  ['bulk mail', { more: ['Precedence: bulk'] }],
  ['junk', { more: ['Precedence: junk'] }],
  ['noreply', { from: 'Shop <no-reply@people.example>' }],
  ['an empty envelope sender', { mailFrom: '' }],
  ['spam', { isSpam: true }],
])('%s neither answers nor tells of an absence', (_name, form) => {
  expect(classify(form)).toBe('other');
});
