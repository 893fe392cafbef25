/** Everything about a campaign that is not the letter itself. */
import type { ReactNode } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { abTestTexts } from '../../texts/en/ab-test.ts';
import { SideSheet } from '../../ui/dialogs/side-sheet.tsx';
import { TextField } from '../../ui/field.tsx';
import { AbTestFields } from './ab-test-fields.tsx';
import { ArchiveField } from './archive-fields.tsx';
import { AudienceFields, SenderFields } from './audience-fields.tsx';
import { RecipientCount } from './recipient-count.tsx';
import type { Draft } from './use-draft.ts';

const t = campaignTexts;

export type Section = 'recipients' | 'sender' | 'archive' | 'test';

interface SettingsSheetProps {
  campaign: Campaign;
  draft: Draft;
  startAt: Section;
  onClose(): void;
}

export function SettingsSheet({ campaign, draft, startAt, onClose }: SettingsSheetProps) {
  const isDraft = campaign.status === 'DRAFT';
  return (
    <SideSheet
      title={t.settings}
      description={isDraft ? t.settingsHint : t.settingsHintEditing}
      startAt={sectionId(startAt)}
      onClose={onClose}
    >
      <Part id="recipients" title={t.sections.recipients}>
        <AudienceFields draft={draft} />
        <RecipientCount campaign={campaign} />
      </Part>
      <Part id="sender" title={t.sections.sender}>
        <SenderFields draft={draft} />
        <TextField label={t.name} hint={t.nameHint} {...draft.text('name')} />
      </Part>
      <Part id="archive" title={t.sections.archive}>
        <ArchiveField draft={draft} />
      </Part>
      <Part id="test" title={abTestTexts.title}>
        <AbTestFields draft={draft} tracked={campaign.tracked} />
      </Part>
    </SideSheet>
  );
}

function Part({ id, title, children }: { id: Section; title: string; children: ReactNode }) {
  return (
    <section
      id={sectionId(id)}
      aria-label={title}
      className="space-y-4 border-b border-line py-5 last:border-b-0"
    >
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  );
}

function sectionId(section: Section): string {
  return `campaign-${section}`;
}
