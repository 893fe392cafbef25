/**
 * Emails to people about their own account. They contain a link that grants access, so the source `account` hides
 * their content from everyone. They are not sent in the sandbox, nor to a mailbox of this instance, which the
 * mailbox's whole team can read.
 */
import { renderEditorDocument } from '../../../mail/html/editor/editor-html.ts';
import type { Db } from '../../../platform/database/database.ts';
import type { Facts } from '../../instance/facts.ts';
import { AUTOMATIC, findNoReply, toMailbox } from '../../sending/emails/own-mail.ts';
import { submit } from '../../sending/emails/submit.ts';
import { findDestination } from '../../mailboxes/mailboxes/find-mailbox.ts';
import { isSuppressed } from '../../sending/suppressions/suppressions.ts';

interface AccountMail {
  subject: string;
  lead: string;
  /** The label of the link. */
  action: string;
  url: string;
  foot: string;
}

/** Tells whether the team can send an account email to this address. */
export async function canMail(db: Db, facts: Facts, teamId: number, address: string): Promise<boolean> {
  if (facts.mailTransport === 'sandbox') return false;
  if (!(await findNoReply(db, teamId))) return false;
  if (await isSuppressed(db, teamId, address)) return false;
  return (await findDestination(db, address)) === null;
}

/** The caller must have checked `canMail`. */
export async function mailAccount(db: Db, teamId: number, address: string, mail: AccountMail): Promise<void> {
  const { subject, lead, action, url, foot } = mail;
  const content = renderEditorDocument(
    JSON.stringify({
      type: 'doc',
      content: [
        paragraphOf(lead),
        { type: 'button', attrs: { text: action, url } },
        paragraphOf(url),
        paragraphOf(foot),
      ],
    }),
  )!;
  await submit(db, {
    source: 'account',
    caller: { teamId, domainId: null },
    content: {
      kind: 'fields',
      email: {
        from: (await findNoReply(db, teamId))!,
        to: [toMailbox(address)],
        subject,
        ...content,
        headers: AUTOMATIC,
      },
    },
  });
}

function paragraphOf(text: string) {
  return { type: 'paragraph', content: [{ type: 'text', text }] };
}
