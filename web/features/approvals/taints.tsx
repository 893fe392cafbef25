/** What the agent had read of people outside the team before it wrote. */
import { Link } from '@tanstack/react-router';
import type { Approval, ApprovalTaint } from '../../../src/features/sending/approvals/approvals.schema.ts';
import { approvalTexts } from '../../texts/en/approvals.ts';
import { Section } from '../../ui/page.tsx';

const t = approvalTexts;

export function Taints({ approval: { taints, taintedBy, threadId, mailboxId } }: { approval: Approval }) {
  // A message says more than the conversation that it is in.
  const threads = new Set(
    taints.flatMap((taint) => (taint.kind === 'message' ? (taint.threadId ?? []) : [])),
  );
  const shown = taints.filter(({ kind, id }) => kind !== 'thread' || !threads.has(id));
  const isShown = shown.length > 0;
  if (!isShown && threadId === null) return null;
  const more = taintedBy.length - taints.length;
  return (
    <Section title={isShown ? t.taintTitle : ''} description={isShown ? t.taintText : undefined}>
      {isShown && (
        <ul className="divide-y divide-line rounded-xl border border-line">
          {shown.map((taint) => (
            <li key={taint.id} className="px-4 py-2 break-words">
              <TaintLink taint={taint} />
            </li>
          ))}
          {more > 0 && <li className="px-4 py-2 text-soft">{t.taintMore(more)}</li>}
        </ul>
      )}
      {threadId !== null && mailboxId !== null && (
        <p className="mt-3">
          <Link
            to="/mail/$mailboxId/$folder/$threadId"
            params={{ mailboxId, folder: 'inbox', threadId }}
            className="rounded font-medium underline underline-offset-2"
          >
            {t.conversation}
          </Link>
        </p>
      )}
    </Section>
  );
}

function TaintLink({ taint }: { taint: ApprovalTaint }) {
  const { kind, from, subject, mailboxId, threadId } = taint;
  const name = subject === null ? t.taints[kind] : subject || t.noSubject;
  const shown = from === null ? name : t.taintFrom(from, name);
  if (mailboxId === null || threadId === null) return shown;
  return (
    <Link
      to="/mail/$mailboxId/$folder/$threadId"
      params={{ mailboxId, folder: 'inbox', threadId }}
      className="rounded hover:underline"
    >
      {shown}
    </Link>
  );
}
