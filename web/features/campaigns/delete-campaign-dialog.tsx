import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendJson } from '../../api/client.ts';
import { texts } from '../../texts/en.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = texts.campaigns;

export function DeleteCampaignDialog({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={t.deleteTitle(campaign.name)}
      action={t.delete}
      onClose={onClose}
      run={async () => {
        await sendJson('DELETE', `/campaigns/${campaign.id}`);
        await navigate({ to: '/campaigns', search: {}, ignoreBlocker: true });
        await queryClient.invalidateQueries({ queryKey: ['campaigns', 'list'] });
        showToast(t.deleted);
      }}
    >
      <p>{t.deleteText}</p>
    </ConfirmDialog>
  );
}
