/** Several emails that wait in the same conversation are decided together: each is shown with all of its recipients. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Approval, ApprovalItem } from '../../../src/features/sending/approvals/approvals.schema.ts';
import { ApiError } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { approvalTexts } from '../../texts/en/approvals.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { CheckboxField, TextAreaField } from '../../ui/field.tsx';
import { FormError, useSubmission } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { approve, refreshApprovals, reject, threadApprovalsQuery } from './approvals-api.ts';

const t = approvalTexts;

export function ThreadApprovals({ approval }: { approval: Approval }) {
  const [isOpen, setOpen] = useState(false);
  const { data = [] } = useQuery(threadApprovalsQuery(approval.threadId));
  const others = data.filter(({ id }) => id !== approval.id);
  if (others.length === 0 || approval.state !== 'pending') return null;
  return (
    <p className="mb-5 flex flex-wrap items-center gap-x-3 gap-y-2">
      {t.sameThread(others.length)}
      <Button size="small" onClick={() => setOpen(true)}>
        {t.decideTogether}
      </Button>
      {isOpen && <TogetherDialog items={data} onClose={() => setOpen(false)} />}
    </p>
  );
}

function TogetherDialog({ items, onClose }: { items: readonly ApprovalItem[]; onClose(): void }) {
  // What was shown when the dialog opened is what is decided about.
  const [shown] = useState(items);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set());
  const [reason, setReason] = useState('');
  const [isRejecting, setRejecting] = useState(false);
  const picked = shown.filter(({ id }) => chosen.has(id));
  const { busy, error, onSubmit } = useSubmission(async () => {
    const failed = await decideEach(picked, (item) => (isRejecting ? reject(item, reason) : approve(item)));
    const done = picked.length - failed;
    if (done > 0) showToast(isRejecting ? t.rejectedCount(done) : t.approvedCount(done));
    if (failed > 0) showToast(t.failedCount(failed), { tone: 'bad' });
    onClose();
    await refreshApprovals();
  });
  const toggle = (id: string, isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((each) => each !== id)));
  return (
    <Dialog wide stays title={t.togetherTitle} description={t.togetherText} onClose={onClose}>
      <form onSubmit={onSubmit} className="space-y-4">
        <ul className="divide-y divide-line rounded-xl border border-line">
          {shown.map((item) => (
            <li key={item.id} className="px-4 py-3">
              <CheckboxField
                label={<Summary item={item} />}
                checked={chosen.has(item.id)}
                onChange={({ target }) => toggle(item.id, target.checked)}
              />
            </li>
          ))}
        </ul>
        <TextAreaField
          label={t.reason}
          hint={t.reasonHint}
          rows={2}
          maxLength={2_000}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <DialogActions error={<FormError error={error} />}>
          <Button disabled={busy} onClick={onClose}>
            {texts.common.cancel}
          </Button>
          <Button
            type="submit"
            busy={busy && isRejecting}
            disabled={picked.length === 0}
            onClick={() => setRejecting(true)}
          >
            {t.rejectCount(picked.length)}
          </Button>
          <Button
            type="submit"
            look="primary"
            busy={busy && !isRejecting}
            disabled={picked.length === 0}
            onClick={() => setRejecting(false)}
          >
            {t.approveCount(picked.length)}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Summary({ item: { message, newText } }: { item: ApprovalItem }) {
  const people = [...message.to, ...message.cc, ...message.bcc].join(', ');
  return (
    <>
      <span className="block font-medium break-words">{message.subject || t.noSubject}</span>
      <span className="block text-note break-words text-soft">{t.to(people)}</span>
      {newText && <span className="mt-1 line-clamp-6 block break-words whitespace-pre-wrap">{newText}</span>}
    </>
  );
}

/** Returns how many were decided or changed meanwhile. */
async function decideEach(
  items: readonly ApprovalItem[],
  decide: (item: ApprovalItem) => Promise<void>,
): Promise<number> {
  let failed = 0;
  for (const item of items) {
    try {
      await decide(item);
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) throw error;
      failed += 1;
    }
  }
  return failed;
}
