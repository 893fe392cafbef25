/** Answers, and drafts that are gone on with: what stands in them before anybody writes. */
import type { Mailbox } from '../../../../src/features/mailboxes/mailboxes.schema.ts';
import type { Message, ThreadWithMessages } from '../../../../src/features/threads/threads.schema.ts';
import { describeError } from '../../../api/describe-error.ts';
import { queryClient } from '../../../api/query-client.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { messageQuery, threadQuery } from '../mail-api.ts';
import { longTime } from '../mail-time.ts';
import { keyOf, nameOf } from '../people.ts';
import { compose } from './compositions.ts';

const t = mailTexts.compose;

export type AnswerKind = 'reply' | 'replyAll' | 'forward';

export async function answer(mailbox: Mailbox, message: Message, kind: AnswerKind): Promise<void> {
  if (message.body_omitted) {
    try {
      const whole = await queryClient.fetchQuery(messageQuery(message.id));
      await answer(mailbox, whole, kind);
    } catch (error) {
      showToast(describeError(error), { tone: 'bad' });
    }
    return;
  }
  const isForward = kind === 'forward';
  const { to, cc } = isForward ? { to: [], cc: [] } : peopleToAnswer(mailbox, message, kind === 'replyAll');
  const begun = isForward ? undefined : findDraft(mailbox.id, message.thread_id);
  if (begun) {
    // Whoever answers goes on with the answer that they have begun; all of them means nobody is left out of it.
    const isIn = new Set([...begun.to, ...begun.cc, ...begun.bcc].map(keyOf));
    const more = kind === 'replyAll' ? [...to, ...cc].filter((person) => !isIn.has(keyOf(person))) : [];
    openDraft(mailbox.id, { ...begun, cc: [...begun.cc, ...more] }, 'thread');
    return;
  }
  compose(mailbox.id, {
    to,
    cc,
    subject: withMark(message.subject, isForward ? 'Fwd' : 'Re'),
    quoted: isForward ? forwardedHtml(message) : quotedHtml(message),
    place: isForward ? 'window' : 'thread',
    threadId: isForward ? null : message.thread_id,
    forwards: isForward && message.attachments.length > 0 ? message : null,
  });
}

export function openDraft(mailboxId: string, draft: Message, place: 'window' | 'thread'): void {
  compose(mailboxId, {
    ...draft,
    ...splitQuoted(draft.html ?? textToHtml(draft.text ?? '')),
    place,
    threadId: place === 'thread' ? draft.thread_id : null,
    draftId: draft.id,
    savedAt: draft.created_at,
  });
}

function findDraft(mailboxId: string, threadId: string): Message | undefined {
  const thread = queryClient.getQueryData<ThreadWithMessages>(threadQuery(mailboxId, threadId).queryKey);
  return thread?.messages.findLast(({ status }) => status === 'draft');
}

/** To whom an answer goes: whoever wrote, or those that we wrote to; never ourselves, unless to nobody else. */
function peopleToAnswer(mailbox: Mailbox, message: Message, all: boolean): { to: string[]; cc: string[] } {
  const own = mailbox.address.toLowerCase();
  const wrote = message.reply_to.length > 0 ? message.reply_to : [message.from];
  const first = message.direction === 'out' ? message.to : wrote;
  const seen = new Set([own]);
  const unseen = (people: string[]) =>
    people.filter((person) => !seen.has(keyOf(person)) && Boolean(seen.add(keyOf(person))));
  const to = unseen(first);
  const others = message.direction === 'out' ? message.cc : [...message.to, ...message.cc];
  return { to: to.length > 0 ? to : first, cc: all ? unseen(others) : [] };
}

function withMark(subject: string, mark: 'Re' | 'Fwd'): string {
  const has = mark === 'Re' ? /^re\s*:/i : /^fwd?\s*:/i;
  return has.test(subject) ? subject : `${mark}: ${subject}`;
}

function quotedHtml(message: Message): string {
  const head = escapeText(t.quoted(longTime(message.created_at), nameOf(message.from)));
  const body = withoutOwnImages(message.html ?? textToHtml(message.text ?? ''));
  return `<div class="gmail_quote"><p>${head}</p><blockquote type="cite">${body}</blockquote></div>`;
}

function forwardedHtml(message: Message): string {
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

/** The parts that a quoted picture points to do not go along. */
function withoutOwnImages(html: string): string {
  return html.replaceAll(/<img [^<>]*>/gi, (tag) => (/src="cid:/i.test(tag) ? '' : tag));
}

function textToHtml(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escapeText(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('');
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** A draft is one document; what it quotes begins with the mark that we gave it. */
function splitQuoted(html: string): { html: string; quoted: string } {
  const at = html.indexOf('<div class="gmail_quote">');
  return at < 0 ? { html, quoted: '' } : { html: html.slice(0, at), quoted: html.slice(at) };
}
