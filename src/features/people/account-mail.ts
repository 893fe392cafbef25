/**
 * Mail to people about their own account. The link in it is as good as a key: it is stored as mail of `account`, whose
 * content nobody is shown, and it goes nowhere where others could read it: not into the sandbox, and not to a mailbox
 * of this instance, which is open to the whole of its team.
 */
import { renderEditorDocument } from '../../mail/editor-html.ts';
import type { Db } from '../../platform/database.ts';
import type { Facts } from '../../platform/facts.ts';
import { AUTOMATIC, findNoReply, toMailbox } from '../emails/own-mail.ts';
import { submit } from '../emails/submit.ts';
import { findDestination } from '../mailboxes/find-mailbox.ts';
import { isSuppressed } from '../suppressions/suppressions.ts';

interface AccountMail {
  subject: string;
  lead: string;
  /** What the link does, and where it leads. */
  action: string;
  url: string;
  foot: string;
}

/** Whether it could be written to this address in the name of the team. */
export async function canMail(db: Db, facts: Facts, teamId: number, address: string): Promise<boolean> {
  if (facts.mailTransport === 'sandbox') return false;
  if (!(await findNoReply(db, teamId))) return false;
  if (await isSuppressed(db, teamId, address)) return false;
  return (await findDestination(db, address)) === null;
}

/** Only for whom `canMail` is true. */
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
