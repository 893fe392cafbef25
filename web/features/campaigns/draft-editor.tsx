import { useQuery } from '@tanstack/react-query';
import { Copy, FlaskConical, History, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { texts } from '../../texts/en.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { editorTexts } from '../../texts/en/editor.ts';
import { versionTexts } from '../../texts/en/versions.ts';
import { AskBeforeLeaving } from '../../ui/dialogs/ask-before-leaving.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { TextAreaField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { CanvasPage } from '../../ui/canvas-page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { showToast } from '../../ui/toasts.ts';
import { ConflictNotice } from '../versions/conflict-notice.tsx';
import { translationTabs } from '../translations/translation-tabs.tsx';
import { contactBooksQuery } from '../contact-books/contact-books-api.ts';
import { variantContentTabs } from './ab-test-fields.tsx';
import { CampaignSummary } from './campaign-summary.tsx';
import { LetterTitle } from './letter-title.tsx';
import { CampaignPreview } from './campaign-preview.tsx';
import { CampaignVersionsDialog } from './campaign-versions.tsx';
import { CAMPAIGN_TONES } from './campaigns-api.ts';
import { CreateCampaignDialog } from './create-campaign-dialog.tsx';
import { DeleteCampaignDialog } from './delete-campaign-dialog.tsx';
import { EmailEditor } from './email-editor.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';
import { useDraft, type Draft } from './use-draft.ts';

const t = campaignTexts;
const c = versionTexts.conflict;
const back = { to: '/campaigns', label: t.title } as const;

interface DraftEditorProps {
  campaign: Campaign;
  /** Returns to the view of a scheduled campaign. */
  onDone(): void;
}

export function DraftEditor({ campaign, onDone }: DraftEditorProps) {
  const draft = useDraft(campaign);
  const isDraft = campaign.status === 'DRAFT';
  const actions = useDraftActions(draft);
  return (
    <CanvasPage
      title={draft.fields.name || campaign.name}
      mark={<Badge tone={CAMPAIGN_TONES[campaign.status]}>{t.statuses[campaign.status]}</Badge>}
      back={back}
      state={<SaveState draft={draft} isDraft={isDraft} />}
      actions={
        isDraft ? (
          <DraftActions campaign={campaign} actions={actions} />
        ) : (
          <EditActions campaign={campaign} draft={draft} onDone={onDone} />
        )
      }
    >
      <AskBeforeLeaving isUnsaved={isUnsaved(draft)} {...(isDraft ? { save: draft.settle } : {})} />
      {!campaign.editable && (
        <p role="alert" className="mb-4 rounded-lg bg-warn-tint px-4 py-3 text-warn">
          {t.startedMeanwhile}
        </p>
      )}
      {/* The notice stays visible while the user writes far below. The content is not a field that could show its
          own error. */}
      <div className="sticky top-14 z-20 lg:top-16">
        {draft.conflict.length > 0 && (
          <ConflictNotice
            title={t.conflictTitle}
            text={isDraft ? c.text : c.textNow}
            keepMine={draft.keepMine}
            mineKept={c.mineKept}
            takeTheirs={draft.takeTheirs}
            theirsKept={isDraft ? c.theirsKept : c.mineDropped}
          />
        )}
        <FormError error={draft.failure ?? draft.refused.get('content')} />
      </div>
      <CampaignSummary
        campaign={campaign}
        draft={draft}
        onSend={isDraft ? () => actions.openSaved('send') : undefined}
      />
      <section aria-label={t.content} className="min-w-0">
        <LetterTitle draft={draft} />
        <Tabs
          label={t.content}
          tabs={[
            { id: 'edit', name: editorTexts.label, content: <ContentField draft={draft} />, stays: true },
            {
              id: 'text',
              name: t.text,
              content: <TextAreaField label={t.text} hint={t.textHint} rows={20} {...draft.text('text')} />,
            },
            ...variantContentTabs(draft),
            ...languageTabs(draft),
            { id: 'preview', name: t.preview, content: <Preview campaign={campaign} draft={draft} /> },
          ]}
        />
      </section>
    </CanvasPage>
  );
}

function isUnsaved({ state }: Draft): boolean {
  return state !== 'saved';
}

type DraftDialog = 'send' | 'test' | 'copy' | 'versions' | 'delete';

/** A draft is saved before it is sent, tested or copied, so that the email is the one on the screen. */
function useDraftActions(draft: Draft) {
  const [open, setOpen] = useState<DraftDialog | null>(null);
  const [opening, setOpening] = useState<typeof open>(null);
  return {
    open,
    opening,
    setOpen,
    close: () => setOpen(null),
    // If saving fails, the form shows the error.
    openSaved(dialog: DraftDialog) {
      setOpening(dialog);
      void draft
        .settle()
        .then(() => setOpen(dialog))
        .catch(() => {})
        .finally(() => setOpening(null));
    },
  };
}

interface DraftActionsProps {
  campaign: Campaign;
  actions: ReturnType<typeof useDraftActions>;
}

function DraftActions({ campaign, actions }: DraftActionsProps) {
  const { open, opening, setOpen, openSaved, close } = actions;
  const { data: books = [] } = useQuery(contactBooksQuery);
  return (
    <>
      <MoreMenu>
        <MenuItem icon={Copy} disabled={books.length === 0} onSelect={() => openSaved('copy')}>
          {t.copy}
        </MenuItem>
        <MenuItem icon={History} onSelect={() => openSaved('versions')}>
          {versionTexts.open}
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => setOpen('delete')}>
          {t.delete}
        </MenuItem>
      </MoreMenu>
      <Button icon={FlaskConical} busy={opening === 'test'} onClick={() => openSaved('test')}>
        {t.test}
      </Button>
      <Button look="primary" icon={Send} busy={opening === 'send'} onClick={() => openSaved('send')}>
        {t.send}
      </Button>
      {open === 'send' && <ScheduleDialog campaign={campaign} onClose={close} />}
      {open === 'test' && <TestDialog campaign={campaign} onClose={close} />}
      {open === 'copy' && <CreateCampaignDialog books={books} like={campaign} onClose={close} />}
      {open === 'versions' && <CampaignVersionsDialog campaign={campaign} onClose={close} />}
      {open === 'delete' && <DeleteCampaignDialog campaign={campaign} onClose={close} />}
    </>
  );
}

/** A scheduled campaign is saved only on request. */
function EditActions({ campaign, draft, onDone }: DraftEditorProps & { draft: Draft }) {
  const [open, setOpen] = useState<'test' | 'versions' | 'close' | null>(null);
  const close = () => setOpen(null);

  const openSaved = (dialog: 'test' | 'versions', saveFirst: string) =>
    isUnsaved(draft) ? showToast(saveFirst) : setOpen(dialog);

  async function saveChanges(): Promise<void> {
    try {
      await draft.settle();
      showToast(t.changesSaved);
      onDone();
    } catch {
      // The form shows the error.
    }
  }

  return (
    <>
      <MoreMenu>
        <MenuItem icon={History} onSelect={() => openSaved('versions', versionTexts.saveFirst)}>
          {versionTexts.open}
        </MenuItem>
      </MoreMenu>
      <Button icon={FlaskConical} onClick={() => openSaved('test', t.saveBeforeTest)}>
        {t.test}
      </Button>
      <Button onClick={() => (isUnsaved(draft) ? setOpen('close') : onDone())}>{t.stopEditing}</Button>
      <Button
        look="primary"
        busy={draft.state === 'saving'}
        disabled={!campaign.editable}
        onClick={() => void saveChanges()}
      >
        {t.saveChanges}
      </Button>
      {open === 'test' && <TestDialog campaign={campaign} onClose={close} />}
      {open === 'versions' && <CampaignVersionsDialog campaign={campaign} onClose={close} />}
      {open === 'close' && (
        <ConfirmDialog
          title={texts.common.leaveTitle}
          text={texts.common.leaveText}
          action={texts.common.leave}
          run={async () => onDone()}
          onClose={close}
        />
      )}
    </>
  );
}

/** Shows a draft with its changes, and a scheduled campaign as it was last saved. */
function Preview({ campaign, draft }: { campaign: Campaign; draft: Draft }) {
  if (campaign.status === 'DRAFT') return <CampaignPreview campaign={campaign} settle={draft.settle} />;
  return (
    <>
      {isUnsaved(draft) && <p className="mb-3 text-soft">{t.editingPreview}</p>}
      <CampaignPreview campaign={campaign} />
    </>
  );
}

function SaveState({ draft: { state }, isDraft }: { draft: Draft; isDraft: boolean }) {
  // Only drafts are retried automatically.
  const shown = state === 'failed' && !isDraft ? 'changed' : state;
  return <span role="status">{!isDraft && state === 'saved' ? t.editing : t.saveStates[shown]}</span>;
}

function languageTabs(draft: Draft) {
  const { fields } = draft;
  const { subject, previewText, content, html } = fields;
  const refused = draft.refused.get('translations');
  return translationTabs({
    value: fields.translations,
    onChange: (translations) => draft.change({ translations }),
    base: { subject, previewText, content, html },
    hasPreviewText: true,
    problem: refused ? <FormError error={refused} /> : null,
    renderEditor: (own, onChange) => <EmailEditor draft={draft} content={own} onChange={onChange} />,
  });
}

function ContentField({ draft }: { draft: Draft }) {
  const { fields, change } = draft;
  if (fields.content === null) {
    return <TextAreaField label={t.html} hint={t.htmlHint} rows={20} mono {...draft.text('html')} />;
  }
  return <EmailEditor draft={draft} content={fields.content} onChange={(content) => change({ content })} />;
}
