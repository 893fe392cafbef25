import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { queryClient } from '../../api/query-client.ts';
import { VersionsDialog } from '../versions/versions-dialog.tsx';

export function CampaignVersionsDialog({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  return (
    <VersionsDialog
      path={`/campaigns/${campaign.id}`}
      onClose={onClose}
      onRestored={(restored: Campaign) =>
        queryClient.setQueryData(['campaigns', 'one', campaign.id], restored)
      }
    />
  );
}
