import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { useDeleteAndLeave } from '../../ui/dialogs/use-delete-and-leave.ts';

const t = campaignTexts;

export function DeleteCampaignDialog({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  const deleteAndLeave = useDeleteAndLeave('/campaigns', 'campaigns', 'list');
  return (
    <ConfirmDialog
      title={t.deleteTitle(campaign.name)}
      text={campaign.sent > 0 ? t.deleteText : t.deleteUnsentText}
      action={t.delete}
      run={() => deleteAndLeave(`/campaigns/${campaign.id}`)}
      done={t.deleted}
      onClose={onClose}
    />
  );
}
