/** An email of an agent that waits for a person: who asks, why, what it says, and the decision. */
import { useState } from 'react';
import { BotMessageSquare, CircleAlert } from 'lucide-react';
import type { Approval } from '../../../src/features/sending/approvals/approvals.schema.ts';
import { approvalTexts } from '../../texts/en/approvals.ts';
import { serverErrors } from '../../texts/en/server-errors.ts';
import { Time } from '../../ui/dates/time.tsx';
import { ApprovalActions } from './approval-actions.tsx';
import { ApprovalFacts } from './approval-facts.tsx';
import { ApprovalMessage } from './approval-message.tsx';
import { ThreadApprovals } from './thread-approvals.tsx';
import { Taints } from './taints.tsx';

const t = approvalTexts;

interface ApprovalDetailProps {
  approval: Approval;
  /** Called after a decision that this page made. */
  onDecided(): void;
}

export function ApprovalDetail({ approval, onDecided }: ApprovalDetailProps) {
  const [hasChanged, setChanged] = useState(false);
  return (
    <div className="max-w-page">
      <Asking approval={approval} />
      {hasChanged && (
        <p role="alert" className="mb-4 flex gap-2 rounded-lg bg-warn-tint px-3 py-2 text-warn">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {t.changed}
        </p>
      )}
      <ThreadApprovals approval={approval} />
      <ApprovalFacts approval={approval} />
      <ApprovalMessage approval={approval} />
      <Taints approval={approval} />
      {approval.state === 'pending' && (
        <ApprovalActions approval={approval} onChanged={() => setChanged(true)} onDecided={onDecided} />
      )}
    </div>
  );
}

/** Who asks and why, or what was decided. */
function Asking({ approval: { byName, why, state, reason, decidedAt } }: { approval: Approval }) {
  return (
    <div className="mb-5 flex gap-3 rounded-xl bg-panel px-4 py-3">
      <BotMessageSquare aria-hidden className="mt-0.5 size-5 shrink-0 text-soft" strokeWidth={1.75} />
      <div className="min-w-0 break-words">
        <p className="font-medium">{state === 'pending' ? t.asks(byName) : t.decided[state]}</p>
        <p className="text-soft">
          {state === 'pending'
            ? serverErrors.translate(why.sentence)
            : decidedAt && <Time at={decidedAt} precise />}
        </p>
        {reason !== null && (
          <p className="mt-1">
            <span className="text-soft">{t.reason}:</span> {reason}
          </p>
        )}
      </div>
    </div>
  );
}
