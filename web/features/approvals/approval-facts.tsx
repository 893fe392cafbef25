/** The addresses, files and times of an email that waits. Every recipient is shown, because each of them gets it. */
import { Paperclip } from 'lucide-react';
import type { Approval } from '../../../src/features/sending/approvals/approvals.schema.ts';
import { approvalTexts } from '../../texts/en/approvals.ts';
import { Time } from '../../ui/dates/time.tsx';
import { Fact } from '../../ui/fact.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';

const t = approvalTexts;

export function ApprovalFacts({ approval }: { approval: Approval }) {
  const { message, sendAt, expiresAt, state } = approval;
  const people = [
    [t.toField, message.to],
    [t.cc, message.cc],
    [t.bcc, message.bcc],
    [t.replyTo, message.replyTo],
  ] as const;
  return (
    <dl className="mb-6 grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 sm:grid-cols-[7rem_minmax(0,1fr)] sm:gap-x-6">
      <Fact name={t.from}>{message.from}</Fact>
      {people.map(
        ([name, entries]) =>
          entries.length > 0 && <Fact key={name} name={name} children={entries.join(', ')} />,
      )}
      {message.attachments.length > 0 && (
        <Fact name={t.attachments}>
          <ul>
            {message.attachments.map(({ name, size, sha256 }, no) => (
              <li key={no} className="flex items-center gap-1.5" title={t.checksum(sha256)}>
                <Paperclip aria-hidden className="size-3.5 shrink-0 text-soft" />
                {t.attachment(name, formatBytes(size))}
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {state === 'pending' && (
        <>
          <Fact name={t.leaves}>{sendAt === null ? t.leavesAtOnce : <Time at={sendAt} precise />}</Fact>
          <Fact name={t.expires}>
            <Time at={expiresAt} precise />
          </Fact>
        </>
      )}
    </dl>
  );
}
