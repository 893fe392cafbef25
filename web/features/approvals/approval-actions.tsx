/** Approve and reject. They stay visible below a long email. */
import { Check, X } from 'lucide-react';
import { useState } from 'react';
import type { Approval } from '../../../src/features/sending/approvals/approvals.schema.ts';
import { ApiError } from '../../api/client.ts';
import { approvalTexts } from '../../texts/en/approvals.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { FormError, useForm, useSubmission } from '../../ui/form.tsx';
import { showToast } from '../../ui/toasts.ts';
import { approve, refreshApprovals, reject } from './approvals-api.ts';

const t = approvalTexts;

interface ApprovalActionsProps {
  approval: Approval;
  /** The server has another email, or someone has decided. */
  onChanged(): void;
  onDecided(): void;
}

export function ApprovalActions({ approval, onChanged, onDecided }: ApprovalActionsProps) {
  const [isRejecting, setRejecting] = useState(false);
  const { sendAt } = approval;
  const { busy, error, onSubmit } = useSubmission(async () => {
    if (await decide(() => approve(approval), onChanged)) {
      showToast(sendAt === null ? t.approved : t.approvedLater);
      onDecided();
    }
    await refreshApprovals();
  });
  return (
    <>
      <form
        onSubmit={onSubmit}
        className="sticky bottom-0 z-10 -mx-1 border-t border-line bg-paper px-1 py-3 print:hidden"
      >
        <div className="flex flex-wrap gap-2 max-sm:*:flex-1">
          <Button type="submit" look="primary" icon={Check} busy={busy}>
            {sendAt === null ? t.approve : t.approveLater}
          </Button>
          <Button icon={X} disabled={busy} onClick={() => setRejecting(true)}>
            {t.reject}
          </Button>
        </div>
        <FormError error={error} />
      </form>
      {/* Beside the form, because the submission of a form inside would be one of this form as well. */}
      {isRejecting && (
        <RejectDialog
          approval={approval}
          onChanged={onChanged}
          onDecided={onDecided}
          onClose={() => setRejecting(false)}
        />
      )}
    </>
  );
}

function RejectDialog({
  approval,
  onChanged,
  onDecided,
  onClose,
}: ApprovalActionsProps & { onClose(): void }) {
  const form = useForm({ reason: '' }, async ({ reason }) => {
    const isDecided = await decide(() => reject(approval, reason), onChanged);
    onClose();
    if (isDecided) {
      showToast(t.rejected);
      onDecided();
    }
    await refreshApprovals();
  });
  return (
    <FormDialog
      title={t.rejectTitle}
      description={t.rejectText}
      form={form}
      action={t.reject}
      look="danger"
      onClose={onClose}
    >
      <TextAreaField label={t.reason} hint={t.reasonHint} maxLength={2_000} {...form.text('reason')} />
    </FormDialog>
  );
}

/** Returns false if the server has another email, or someone else has decided. */
async function decide(act: () => Promise<unknown>, onChanged: () => void): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
    onChanged();
    return false;
  }
}
