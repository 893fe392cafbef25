import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { approvalTexts } from '../../texts/en/approvals.ts';
import { Badge } from '../../ui/badge.tsx';
import { Page } from '../../ui/page.tsx';
import { PageOf } from '../../ui/page-of.tsx';
import { ApprovalDetail } from './approval-detail.tsx';
import { APPROVAL_TONES, approvalQuery } from './approvals-api.ts';

const t = approvalTexts;
const back = { to: '/approvals', label: t.title } as const;

export function ApprovalPage() {
  const { approvalId } = useParams({ from: '/app/approvals/$approvalId' });
  const navigate = useNavigate();
  return (
    <PageOf query={useQuery(approvalQuery(approvalId))} title={t.title} back={back}>
      {(approval) => (
        <Page
          title={approval.message.subject || t.noSubject}
          mark={<Badge tone={APPROVAL_TONES[approval.state]}>{t.states[approval.state]}</Badge>}
          back={back}
        >
          <ApprovalDetail
            key={approvalId}
            approval={approval}
            onDecided={() => void navigate({ to: '/approvals' })}
          />
        </Page>
      )}
    </PageOf>
  );
}
