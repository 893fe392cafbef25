/** Lists the earlier content of a campaign or template, shows it and restores it. */
import { useQuery } from '@tanstack/react-query';
import { History, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { Version, VersionListItem } from '../../../src/features/content/versions/versions.schema.ts';
import { getJson, sendJson } from '../../api/client.ts';
import { getAll } from '../../api/pages.ts';
import { MessagePreview } from '../../editor/message-preview.tsx';
import { abTestTexts } from '../../texts/en/ab-test.ts';
import { versionTexts } from '../../texts/en/versions.ts';
import { act } from '../../ui/act.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/dates/time.tsx';

const t = versionTexts;

interface VersionsDialogProps<Owner> {
  /** The path of the campaign or template in the API. */
  path: string;
  /** Called with the campaign or template after a version was restored. */
  onRestored(owner: Owner): void;
  onClose(): void;
}

export function VersionsDialog<Owner>({ path, onRestored, onClose }: VersionsDialogProps<Owner>) {
  const versions = useQuery({
    queryKey: ['versions', path, 'list'],
    // Fetches all versions, because the server keeps only a limited number.
    queryFn: () => getAll<VersionListItem>(`${path}/versions`),
    staleTime: 0,
  });
  const [chosen, setChosen] = useState<string>();
  const items = versions.data ?? [];
  const shown = chosen ?? items[0]?.id;
  return (
    <Dialog title={t.title} description={t.lead} wide onClose={onClose}>
      {versions.isError && <ErrorState error={versions.error} retry={() => void versions.refetch()} />}
      {versions.isPending && <Skeleton className="h-64" />}
      {versions.isSuccess && items.length === 0 && (
        <EmptyState icon={History} title={t.emptyTitle} text={t.emptyText} />
      )}
      {shown && (
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-[13rem_minmax(0,1fr)]">
          <div>
            <ul aria-label={t.title} className="max-h-40 space-y-0.5 overflow-y-auto sm:max-h-[32rem]">
              {items.map((item) => (
                <li key={item.id}>
                  <VersionButton item={item} isShown={item.id === shown} show={() => setChosen(item.id)} />
                </li>
              ))}
            </ul>
          </div>
          <ShownVersion
            key={shown}
            path={`${path}/versions/${shown}`}
            onRestored={(owner) => {
              onRestored(owner as Owner);
              onClose();
            }}
          />
        </div>
      )}
    </Dialog>
  );
}

interface VersionButtonProps {
  item: VersionListItem;
  isShown: boolean;
  show(): void;
}

function VersionButton({ item, isShown, show }: VersionButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={show}
      className={classes(
        'block w-full rounded-lg px-3 py-2 text-left hover:bg-hover',
        isShown ? 'bg-hover font-medium' : '',
      )}
    >
      <Time at={item.savedAt} />
      <span className="block truncate text-[0.8125rem] font-normal text-soft">
        {item.subject || t.noSubject}
      </span>
      {item.savedByName !== null && (
        <span className="block truncate text-[0.8125rem] font-normal text-soft">{item.savedByName}</span>
      )}
    </button>
  );
}

function ShownVersion({ path, onRestored }: { path: string; onRestored(owner: unknown): void }) {
  const [busy, setBusy] = useState(false);
  /** The position of a variant, or empty for the campaign itself. */
  const [variant, setVariant] = useState('');
  const version = useQuery({
    queryKey: ['versions', path],
    queryFn: () => getJson<Version>(path),
    staleTime: Number.POSITIVE_INFINITY,
  });

  async function restore(): Promise<void> {
    setBusy(true);
    await act(
      async () => {
        onRestored(await sendJson<unknown>('POST', `${path}/restore`));
      },
      { done: t.restored, refreshes: ['versions'] },
    );
    setBusy(false);
  }

  if (version.isError) return <ErrorState error={version.error} retry={() => void version.refetch()} />;
  if (version.isPending) return <Skeleton className="h-96" />;
  const { savedAt } = version.data;
  const author = authorOf(version.data);
  const { subject, rendered, text } = emailOf(version.data, variant);
  return (
    <section aria-label={t.shown} className="min-w-0">
      <div className="mb-3 flex flex-wrap items-start justify-between gap-2">
        <p className="min-w-0 flex-1 break-words">
          <span className="block font-semibold">{subject || t.noSubject}</span>
          <span className="text-[0.8125rem] text-soft">
            {t.savedAt} <Time at={savedAt} precise /> {author !== null && t.savedBy(author)}
          </span>
        </p>
        <Button look="primary" icon={RotateCcw} busy={busy} onClick={() => void restore()}>
          {t.restore}
        </Button>
      </div>
      <VariantSelect version={version.data} value={variant} onChange={setVariant} />
      {rendered === null ? (
        <pre className="font-sans break-words whitespace-pre-wrap">{text}</pre>
      ) : (
        <MessagePreview html={rendered} {...(text === null ? {} : { text })} note="" height="h-[24rem]" />
      )}
    </section>
  );
}

function authorOf({ savedBy, savedByName }: Version): string | null {
  if (savedByName === null) return null;
  return savedBy?.startsWith('key_') ? t.key(savedByName) : savedByName;
}

/** Returns the email that the recipients of a variant would have got. */
function emailOf(version: Version, position: string) {
  const variant = position === '' ? undefined : version.variants?.[Number(position)];
  if (!variant) return version;
  return {
    subject: variant.subject ?? version.subject,
    rendered: variant.rendered ?? version.rendered,
    text: variant.rendered === null ? version.text : null,
  };
}

interface VariantSelectProps {
  version: Version;
  value: string;
  onChange(value: string): void;
}

function VariantSelect({ version: { variants }, value, onChange }: VariantSelectProps) {
  if (variants === null) return null;
  return (
    <SelectField
      className="mb-3 max-w-56"
      label={t.variant}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      options={[
        ['', t.allVariants],
        ...variants.map((_variant, at): [string, string] => [
          String(at),
          abTestTexts.variant(String.fromCodePoint(65 + at)),
        ]),
      ]}
    />
  );
}
