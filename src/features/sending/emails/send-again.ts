/** Sends the content of an email again, as a new email to the same recipients. */
import { parseMailbox, type NamedAddress } from '../../../mail/mime/address.ts';
import { isSafeHeader } from '../../../mail/mime/header-rules.ts';
import { readAnyHeaders, removeHeaders } from '../../../mail/mime/parse/raw-headers.ts';
import { untrackHtml } from '../../../mail/html/untrack-html.ts';
import { parseMessage } from '../../../mail/offload/parse-message.ts';
import type { Db } from '../../../platform/database/database.ts';
import { conflict } from '../../../platform/errors.ts';
import { runYielding } from '../../../platform/concurrency/run-yielding.ts';
import type { Caller } from '../../api/caller.ts';
import { presentEmailLabels } from '../../events/present-email.ts';
import { LINK_PATHS, type EmailRef, type PublicLinks } from '../../content/links/links.ts';
import type { EmailInput } from './emails.schema.ts';
import { findEmail, type EmailRow } from './emails.ts';
import { readContent } from './read-content.ts';
import type { Submission } from './submission.ts';
import { submitForOutcome, type SubmitOutcome } from './submit.ts';

export async function sendAgain(
  db: Db,
  caller: Caller,
  emailId: string,
  links: PublicLinks,
): Promise<SubmitOutcome> {
  const email = await findEmail(db, caller, emailId);
  if (email.campaign_id !== null)
    throw conflict('This email belongs to a campaign. Send the campaign again instead.');
  if (email.source === 'account')
    throw conflict('This email is about an account, and its links work only once. Request a new one.');
  const raw = await readContent(db, email.team_id, email.id);
  if (!raw) throw conflict('The content of this email was deleted.');
  const content =
    email.source === 'smtp'
      ? await rawContent(db, email, raw)
      : { kind: 'fields' as const, email: await fieldsOf(email, raw, links), leavesAt: null, links };
  return submitForOutcome(db, { source: email.source === 'smtp' ? 'smtp' : 'api', caller, content });
}

/** A message that a client composed keeps its bytes, except for the fields that identify it. */
async function rawContent(db: Db, email: EmailRow, raw: Buffer): Promise<Submission['content']> {
  const section = readAnyHeaders(raw);
  const own = section.headers.filter(({ name }) => /^(?:message-id|date)$/i.test(name));
  const recipients = await db
    .selectFrom('email_recipients')
    .select('address')
    .where('team_id', '=', email.team_id)
    .where('email_id', '=', email.id)
    .orderBy('no')
    .execute();
  return {
    kind: 'raw',
    raw: removeHeaders(raw, section, new Set(own)).raw,
    recipients: mailboxesOf(recipients.map(({ address }) => address)),
    labels: email.labels,
  };
}

/** A message that we composed is composed again, so that its tracking links count for the new email. */
async function fieldsOf(email: EmailRow, raw: Buffer, links: PublicLinks): Promise<EmailInput> {
  const { html, text, headers, attachments } = await parseMessage(raw);
  return {
    from: mailboxesOf([email.sender])[0]!,
    to: mailboxesOf(email.to_addresses),
    cc: mailboxesOf(email.cc_addresses),
    bcc: mailboxesOf(email.bcc_addresses),
    replyTo: mailboxesOf(email.reply_to),
    subject: email.subject,
    html: html === null ? null : await untrack(html, email, links),
    text,
    headers: Object.fromEntries(headers.filter(([name, value]) => isSafeHeader(name, value))),
    attachments: attachments.map(({ filename, content, contentType, contentId }, no) => ({
      filename: filename ?? `attachment-${no + 1}`,
      content,
      contentType,
      contentId: contentId?.replace(/^<|>$/g, '') ?? null,
    })),
    ...presentEmailLabels(email.labels),
  };
}

async function untrack(html: string, { team_id, id }: EmailRow, links: PublicLinks): Promise<string> {
  // The email may have used another host.
  const pixels = pixelsOf(html, links, { teamId: team_id, emailId: id });
  const original = (url: string) => {
    const at = url.indexOf(LINK_PATHS.click);
    const link = at === -1 ? null : links.readClick(url.slice(at + LINK_PATHS.click.length));
    return link?.emailId === id ? link.url : url;
  };
  return runYielding(html.length, () => untrackHtml(html, { original, pixels }));
}

function pixelsOf(html: string, links: PublicLinks, email: EmailRef): string[] {
  const path = new URL(links.open(email)).pathname;
  const found = new Set<string>();
  for (let at = html.indexOf(path); at !== -1; at = html.indexOf(path, at + 1))
    found.add(html.slice(html.lastIndexOf('"', at) + 1, at + path.length));
  return [...found];
}

function mailboxesOf(texts: string[]): (NamedAddress & { given: string })[] {
  return texts.flatMap((given) => {
    const mailbox = parseMailbox(given);
    return mailbox ? [{ ...mailbox, given }] : [];
  });
}
