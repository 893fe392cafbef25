import { useQuery } from '@tanstack/react-query';
import { FlaskConical, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { LazyEditor } from '../../editor/lazy-editor.tsx';
import { texts } from '../../texts/en.ts';
import { AskBeforeLeaving } from '../../ui/ask-before-leaving.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { showToast } from '../../ui/toasts.ts';
import { contactBookQuery } from '../contact-books/contact-books-api.ts';
import { AudienceFields } from './audience-fields.tsx';
import { CampaignPreview } from './campaign-preview.tsx';
import { CAMPAIGN_TONES } from './campaigns-api.ts';
import { DeleteCampaignDialog } from './delete-campaign-dialog.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';
import { useDraft, type Draft } from './use-draft.ts';

const t = texts.campaigns;
const back = { to: '/campaigns', label: t.title } as const;

interface DraftEditorProps {
  campaign: Campaign;
  /** Back to the view of a campaign that is scheduled. */
  onDone(): void;
}

export function DraftEditor({ campaign, onDone }: DraftEditorProps) {
  const draft = useDraft(campaign);
  const [open, setOpen] = useState<'send' | 'test' | 'delete' | 'close' | null>(null);
  const close = () => setOpen(null);
  const isDraft = campaign.status === 'DRAFT';

  /** What is sent must be what stands here. */
  async function openSaved(dialog: 'send' | 'test'): Promise<void> {
    try {
      await draft.settle();
      setOpen(dialog);
    } catch {
      // The form shows what is wrong.
    }
  }

  async function saveChanges(): Promise<void> {
    try {
      await draft.settle();
      showToast(t.changesSaved);
      onDone();
    } catch {
      // The form shows what is wrong.
    }
  }

  const { fields, change } = draft;
  const isUnsaved = draft.state !== 'saved';
  return (
    <Page
      wide
      title={fields.name || campaign.name}
      mark={<Badge tone={CAMPAIGN_TONES[campaign.status]}>{t.statuses[campaign.status]}</Badge>}
      back={back}
      description={<SaveState draft={draft} isDraft={isDraft} />}
      actions={
        isDraft ? (
          <>
            <Button icon={Trash2} onClick={() => setOpen('delete')}>
              {texts.common.delete}
            </Button>
            <Button icon={FlaskConical} onClick={() => void openSaved('test')}>
              {t.test}
            </Button>
            <Button look="primary" icon={Send} onClick={() => void openSaved('send')}>
              {t.send}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={() => (isUnsaved ? setOpen('close') : onDone())}>{t.stopEditing}</Button>
            <Button
              icon={FlaskConical}
              onClick={() => (isUnsaved ? showToast(t.saveBeforeTest) : setOpen('test'))}
            >
              {t.test}
            </Button>
            <Button
              look="primary"
              busy={draft.state === 'saving'}
              disabled={!campaign.editable}
              onClick={() => void saveChanges()}
            >
              {t.saveChanges}
            </Button>
          </>
        )
      }
    >
      <AskBeforeLeaving isUnsaved={isUnsaved} {...(isDraft ? { save: draft.settle } : {})} />
      {!campaign.editable && (
        <p role="alert" className="mb-4 rounded-lg bg-warn-tint px-4 py-3 text-warn">
          {t.startedMeanwhile}
        </p>
      )}
      {/* What is wrong with the content has no field to stand at. */}
      <FormError error={draft.failure ?? draft.refused.get('content')} />
      <div className="mt-4 grid gap-8 lg:grid-cols-[minmax(0,20rem)_minmax(0,1fr)]">
        <section aria-label={t.settings} className="space-y-4">
          <TextField
            label={t.name}
            value={fields.name}
            error={draft.errorOf('name')}
            onChange={(event) => change({ name: event.target.value })}
          />
          <AudienceFields draft={draft} />
        </section>
        <section aria-label={t.content} className="min-w-0 space-y-4">
          <TextField
            label={t.subject}
            value={fields.subject}
            error={draft.errorOf('subject')}
            onChange={(event) => change({ subject: event.target.value })}
          />
          <TextField
            label={t.previewText}
            hint={t.previewTextHint}
            value={fields.previewText}
            error={draft.errorOf('previewText')}
            onChange={(event) => change({ previewText: event.target.value })}
          />
          <Tabs
            label={t.content}
            tabs={[
              {
                id: 'edit',
                name: texts.editor.label,
                content: <ContentField draft={draft} />,
              },
              {
                id: 'preview',
                name: t.preview,
                content: isDraft ? (
                  <CampaignPreview campaignId={campaign.id} settle={draft.settle} />
                ) : (
                  <>
                    {isUnsaved && <p className="mb-3 text-soft">{t.editingPreview}</p>}
                    <CampaignPreview campaignId={campaign.id} />
                  </>
                ),
              },
            ]}
          />
        </section>
      </div>
      {open === 'send' && <ScheduleDialog campaign={campaign} onClose={close} />}
      {open === 'test' && <TestDialog campaignId={campaign.id} onClose={close} />}
      {open === 'delete' && <DeleteCampaignDialog campaign={campaign} onClose={close} />}
      {open === 'close' && (
        <ConfirmDialog
          title={texts.common.leaveTitle}
          action={texts.common.leave}
          run={async () => onDone()}
          onClose={close}
        >
          <p>{texts.common.leaveText}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function SaveState({ draft: { state }, isDraft }: { draft: Draft; isDraft: boolean }) {
  // Only a draft is tried again by itself.
  const shown = state === 'failed' && !isDraft ? 'changed' : state;
  return <span role="status">{!isDraft && state === 'saved' ? t.editing : t.saveStates[shown]}</span>;
}

function ContentField({ draft }: { draft: Draft }) {
  const { fields, change } = draft;
  const { data: book } = useQuery({
    ...contactBookQuery(fields.contactBookId),
    enabled: fields.contactBookId !== '',
  });
  if (fields.content === null) {
    return (
      <TextAreaField
        label={t.html}
        hint={t.htmlHint}
        rows={20}
        value={fields.html}
        error={draft.errorOf('html')}
        onChange={(event) => change({ html: event.target.value })}
      />
    );
  }
  return (
    <LazyEditor
      key={draft.contentNo}
      content={fields.content}
      variables={[...(book?.variables ?? []), 'unsubscribeUrl']}
      onReady={() => {}}
      onChange={(content) => change({ content })}
    />
  );
}
