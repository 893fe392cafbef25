/** The initial content of a reply: its recipients, its subject and the quoted message. */
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes/mailboxes.schema.ts';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { escapeText } from '../../../ui/escape-text.ts';
import { longTime } from '../parts/mail-time.ts';
import { keyOf, nameOf } from '../parts/people.ts';

const t = mailTexts.compose;

/**
 * A reply goes to the sender, or to the recipients if the message is our own; to ourselves only if there is no one
 * else.
 */
export function peopleToAnswer(
  mailbox: Pick<Mailbox, 'address'>,
  message: Message,
  all: boolean,
  /** The further addresses of the mailbox. */
  more: readonly string[] = [],
): { to: string[]; cc: string[] } {
  const own = mailbox.address.toLowerCase();
  const wrote = message.reply_to.length > 0 ? message.reply_to : [message.from];
  const first = message.direction === 'out' ? message.to : wrote;
  const seen = new Set([own, ...more.map((address) => address.toLowerCase())]);
  const unseen = (people: string[]) =>
    people.filter((person) => !seen.has(keyOf(person)) && Boolean(seen.add(keyOf(person))));
  const to = unseen(first);
  const others = message.direction === 'out' ? message.cc : [...message.to, ...message.cc];
  return { to: to.length > 0 ? to : first, cc: all ? unseen(others) : [] };
}

export function withMark(subject: string, mark: 'Re' | 'Fwd'): string {
  const has = mark === 'Re' ? /^re\s*:/i : /^fwd?\s*:/i;
  return has.test(subject) ? subject : `${mark}: ${subject}`;
}

export function quotedHtml(message: Message): string {
  const head = escapeText(t.quoted(longTime(message.created_at), nameOf(message.from)));
  const body = withoutOwnImages(message.html ?? textToHtml(message.text ?? ''));
  return `<div class="gmail_quote"><p>${head}</p><blockquote type="cite">${body}</blockquote></div>`;
}

export function forwardedHtml(message: Message): string {
  const names = mailTexts.thread;
  const lines = [
    [names.from, message.from],
    [names.date, longTime(message.created_at)],
    [mailTexts.compose.subject, message.subject],
    [names.toLabel, message.to.join(', ')],
    ...(message.cc.length > 0 ? [[names.cc, message.cc.join(', ')]] : []),
  ];
  const head = lines.map(([name, value]) => `<b>${name}:</b> ${escapeText(value!)}`).join('<br>');
  const body = message.html ?? textToHtml(message.text ?? '');
  return `<div class="gmail_quote"><p>---------- ${t.forwarded} ----------<br>${head}</p>${body}</div>`;
}

/** Images that are parts of the quoted message are not sent with the reply. */
function withoutOwnImages(html: string): string {
  return html.replaceAll(/<img [^<>]*>/gi, (tag) => (/src="cid:/i.test(tag) ? '' : tag));
}

export function textToHtml(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escapeText(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('');
}

/** A draft is one document. The quoted message in it starts with the class that `quotedHtml` sets. */
export function splitQuoted(html: string): { html: string; quoted: string } {
  const at = html.indexOf('<div class="gmail_quote">');
  return at < 0 ? { html, quoted: '' } : { html: html.slice(0, at), quoted: html.slice(at) };
}
