/** The email as one contact would get it, rendered by the server. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type {
  Campaign,
  CampaignPreview as Preview,
} from '../../../src/features/campaigns/campaigns.schema.ts';
import { sendJson } from '../../api/client.ts';
import { MessagePreview } from '../../editor/message-preview.tsx';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { ListFilters } from '../../ui/list-filters.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { ContactPicker } from './contact-picker.tsx';
import { VariantChoice } from './variant-choice.tsx';

const t = campaignTexts;

interface CampaignPreviewProps {
  campaign: Campaign;
  /** Saves the form first, because the server renders the saved campaign. */
  settle?(): Promise<void>;
}

export function CampaignPreview({ campaign, settle }: CampaignPreviewProps) {
  const campaignId = campaign.id;
  const [variant, setVariant] = useState(String(campaign.winner ?? 0));
  const [to, setTo] = useState<string>();
  const preview = useQuery({
    queryKey: ['campaigns', 'preview', campaignId, to, variant],
    async queryFn() {
      await settle?.();
      return sendJson<Preview>('POST', `/campaigns/${campaignId}/preview`, {
        to: to ?? null,
        variant: Number(variant),
      });
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  return (
    <>
      <ListFilters>
        <ContactPicker bookId={campaign.contactBookIds[0] ?? ''} value={to} onChange={setTo} />
        <VariantChoice
          bare
          campaign={campaign}
          value={variant}
          onChange={({ target }) => setVariant(target.value)}
        />
      </ListFilters>
      {preview.isError && <ErrorState error={preview.error} retry={() => void preview.refetch()} />}
      {preview.isPending && <Skeleton className="h-[36rem]" />}
      {preview.isSuccess && (
        <>
          <p className="mb-4 text-lg font-semibold break-words">{preview.data.subject}</p>
          <MessagePreview
            html={preview.data.html}
            text={preview.data.text}
            note={t.previewAs(preview.data.to)}
          />
        </>
      )}
    </>
  );
}
