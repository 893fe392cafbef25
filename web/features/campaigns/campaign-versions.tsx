import { History } from 'lucide-react';
import { useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { queryClient } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { Button } from '../../ui/button.tsx';
import { VersionsDialog } from '../versions/versions-dialog.tsx';

interface CampaignVersionsProps {
  campaign: Campaign;
  /** Called before the dialog opens. It stays closed if this throws. */
  settle?(): Promise<void>;
}

/** The button that opens the versions of a campaign. */
export function CampaignVersions({ campaign, settle }: CampaignVersionsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const open = () =>
    void Promise.resolve(settle?.()).then(
      () => setIsOpen(true),
      () => {},
    );
  return (
    <>
      <Button icon={History} onClick={open}>
        {texts.versions.open}
      </Button>
      {isOpen && (
        <VersionsDialog
          path={`/campaigns/${campaign.id}`}
          onClose={() => setIsOpen(false)}
          onRestored={(restored: Campaign) =>
            queryClient.setQueryData(['campaigns', 'one', campaign.id], restored)
          }
        />
      )}
    </>
  );
}
