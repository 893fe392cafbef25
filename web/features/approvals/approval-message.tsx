import { useMemo } from 'react';
import type { Approval } from '../../../src/features/sending/approvals/approvals.schema.ts';
import { useIsDark } from '../../shell/theme.ts';
import { approvalTexts } from '../../texts/en/approvals.ts';
import { Section } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { toMailDocument } from '../mail/parts/mail-document.ts';
import { MailFrame } from '../mail/parts/mail-frame.tsx';

const t = approvalTexts;

/** What is new in a reply first, then the whole email as its recipients see it. */
export function ApprovalMessage({ approval }: { approval: Approval }) {
  const { message, threadId, newText } = approval;
  const { html, text } = message;
  if (html === null && text === null) return <p className="mb-6 text-soft">{t.noBody}</p>;
  const views = [
    ...(html === null
      ? []
      : [{ id: 'html', name: t.htmlTab, content: <Html approval={approval} html={html} /> }]),
    ...(text === null ? [] : [{ id: 'text', name: t.textTab, content: <PlainText text={text} /> }]),
  ];
  const isReply = threadId !== null && newText !== null && newText !== '';
  return (
    <>
      {isReply && (
        <Section title={t.newTitle} description={t.newText}>
          <PlainText text={newText} />
        </Section>
      )}
      {isReply && <h2 className="mb-2 text-base font-semibold tracking-tight">{t.wholeTitle}</h2>}
      <div className="mb-6">
        <Tabs label={t.wholeTitle} tabs={views} />
      </div>
    </>
  );
}

function Html({ approval, html }: { approval: Approval; html: string }) {
  const isDark = useIsDark();
  const { source, isOnDark } = useMemo(
    () =>
      toMailDocument(
        { id: approval.emailId, html, attachments: [] },
        { showImages: false, showQuoted: true, isDark },
      ),
    [approval.emailId, html, isDark],
  );
  return <MailFrame source={source} isOnDark={isOnDark} title={t.frame} />;
}

function PlainText({ text }: { text: string }) {
  return (
    <p
      dir="auto"
      className="rounded-xl border border-line bg-raised px-4 py-3 break-words whitespace-pre-wrap"
    >
      {text}
    </p>
  );
}
