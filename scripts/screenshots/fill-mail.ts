/** Fills the bookshop's mailbox: received mail over SMTP, replies, a scheduled message, a saved reply. */
import { createTransport } from 'nodemailer';
import type { APIRequestContext } from 'playwright-core';
import type { DnsRecords } from '../../src/testing/dns-server.ts';

export interface MailDay {
  mailboxId: string;
  threadId: string;
}

/** All senders except the last pass the sender checks. */
export const MAIL_ZONE: Record<string, DnsRecords> = {
  'example.org': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
  '_dmarc.example.org': { TXT: ['v=DMARC1; p=reject'] },
  'paypal.com': { TXT: ['v=spf1 -all'] },
  '_dmarc.paypal.com': { TXT: ['v=DMARC1; p=reject'] },
};

const ADDRESS = 'ada@harbour-books.test';

const LETTERS = [
  [
    'Mary Shelley <mary@example.org>',
    'Proofs for the spring catalogue',
    'The proofs came back from the printer today. Page 12 is upside down.',
  ],
  [
    'Alan Turing <alan@example.org>',
    'A puzzle for your window',
    'I have cut the wooden puzzle that we talked about. Shall I bring it on Friday?',
  ],
  [
    'Emmy Noether <emmy@example.org>',
    'Invoice 1815',
    'Please find the invoice for the algebra shelves attached.',
  ],
  [
    'Kurt Gödel <kurt@example.org>',
    'Opening hours',
    'Your sign says that everything it says is false. Is that so?',
  ],
  [
    'Sofia Kovalevskaya <sofia@example.org>',
    'Reading on Thursday',
    'I can read from the new translation, about forty minutes. Is there a lectern?',
  ],
  [
    'Post Office <parcels@example.org>',
    'Parcel 4471 is waiting',
    'Your parcel can be picked up from Monday.',
  ],
  [
    'PayPal <service@paypal.com>',
    'Your account is limited',
    'Click here within 24 hours to keep your account.',
  ],
] as const;

export async function fillMail(request: APIRequestContext, url: string, smtpPort: number): Promise<MailDay> {
  const call = async (method: string, path: string, data?: unknown) => {
    const answer = await request.fetch(`/api/v1${path}`, { method, data, headers: { origin: url } });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
    return answer.json();
  };
  const box = await call('POST', '/mailboxes', { address: ADDRESS, name: 'Ada Lovelace' });
  await call('PATCH', `/mailboxes/${box.id}`, { undo_seconds: 120 });
  await call('POST', '/mailboxes', { address: 'orders@harbour-books.test', name: 'Harbour Books' });
  for (const [name, html] of [
    ['Opening hours', '<p>We are open from nine to six.</p>'],
    ['Out of print', '<p>Sorry, this one is out of print.</p>'],
    ['Thank you', '<p>Dear {{contact.firstName,fallback=reader}}, thank you for your letter.</p>'],
  ])
    await call('POST', `/mailboxes/${box.id}/saved-replies`, { name, html });

  const door = createTransport({ host: '127.0.0.1', port: smtpPort, ignoreTLS: true });
  for (const [from, subject, text] of LETTERS) {
    const attachments = subject.startsWith('Invoice')
      ? [{ filename: 'invoice-1815.pdf', content: 'x'.repeat(48_000) }]
      : [];
    await door.sendMail({ from, to: ADDRESS, subject, text, attachments });
  }
  const first = '<first@example.org>';
  const from = 'Grace Hopper <grace@example.org>';
  const subject = 'Which edition of Middlemarch?';
  const question = '<p>Dear Ada,</p><p>which edition would you take on a long voyage?</p>';
  await door.sendMail({ from, to: ADDRESS, subject, messageId: first, html: question });
  const [thread] = (await call('GET', `/mailboxes/${box.id}/threads?q=middlemarch`)).items;
  await call('POST', `/mailboxes/${box.id}/messages`, {
    to: [from],
    thread_id: thread.id,
    html: '<p>Dear Grace, the one that stays open by itself.</p>',
    undo_seconds: 0,
  });
  await door.sendMail({
    from,
    to: ADDRESS,
    subject: `Re: ${subject}`,
    inReplyTo: first,
    references: first,
    html: ANSWER,
    attachments: [{ filename: 'cabin.jpg', content: 'x'.repeat(182_000), contentType: 'image/jpeg' }],
  });
  door.close();
  const tomorrow = new Date(Date.now() + 20 * 3_600_000).toISOString();
  for (const [to, about, sendAt] of [
    ['Mary Shelley <mary@example.org>', 'Re: Proofs for the spring catalogue', tomorrow],
    ['Emmy Noether <emmy@example.org>', 'The shelves are up', new Date(Date.now() + 1_400_000).toISOString()],
  ])
    await call('POST', `/mailboxes/${box.id}/messages`, {
      to: [to],
      subject: about,
      text: 'Soon.',
      send_at: sendAt,
    });
  await call('POST', `/mailboxes/${box.id}/drafts`, {
    to: ['kurt@example.org'],
    subject: 'Re: Opening hours',
  });
  return { mailboxId: box.id, threadId: thread.id };
}

const ANSWER = `<p>Dear Ada,</p>
<p>a book that stays open by itself would be <b>just the thing</b>. My cabin has one lamp and no bookrest:</p>
<ul><li>soft cover, so that it lies flat,</li><li>letters large enough for a rolling ship,</li><li>and nobody must mind salt.</li></ul>
<p><a href="https://example.org/voyage">Here is the route</a>, if you want to write.</p>
<img src="https://example.org/route.png" alt="">
<p>Yours,<br>Grace</p>
<div class="gmail_quote"><p>On Sunday, Ada wrote:</p><blockquote type="cite">Dear Grace, the one that stays open by itself.</blockquote></div>`;
