/** Chooses an image: an upload, one from the library, or one by its URL. Then it asks for a description. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { ImageUp, Trash2 } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { sendJson } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { refresh } from '../../api/query-client.ts';
import { texts } from '../../texts/en.ts';
import { editorTexts } from '../../texts/en/editor.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { Dialog, DialogActions } from '../../ui/dialogs/dialog.tsx';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { mediaList, uploadImage, type Media } from './media-api.ts';

const t = editorTexts.media;
const TYPES = 'image/*,.heic,.heif';

export interface ChosenImage {
  src: string;
  alt: string;
  /** Null for an image that is not in the library. */
  width: number | null;
  height: number | null;
}

interface MediaDialogProps {
  title?: string;
  /** Whether to ask for the alternative text. If not, the text is empty. */
  describes?: boolean;
  onChoose(image: ChosenImage): void;
  onClose(): void;
}

type Picked = Pick<Media, 'url'> & Partial<Pick<Media, 'width' | 'height' | 'name'>>;

export function MediaDialog({
  title = editorTexts.image,
  describes = true,
  onChoose,
  onClose,
}: MediaDialogProps) {
  const [picked, setPicked] = useState<Picked | null>(null);
  const choose = ({ url, width, height }: Picked, alt: string) => {
    onChoose({ src: url, alt, width: width ?? null, height: height ?? null });
    onClose();
  };
  const pick = (image: Picked) => (describes ? setPicked(image) : choose(image, ''));
  if (picked)
    return (
      <Dialog stays title={t.describe} onClose={onClose}>
        <Describe picked={picked} onBack={() => setPicked(null)} onDone={(alt) => choose(picked, alt)} />
      </Dialog>
    );
  return (
    <Dialog wide title={title} onClose={onClose}>
      <Upload onPick={pick} />
      <Library onPick={pick} />
      <ByAddress onPick={pick} />
    </Dialog>
  );
}

function Upload({ onPick }: { onPick(media: Picked): void }) {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  async function upload(file: File | undefined): Promise<void> {
    if (!file) return;
    setBusy(true);
    setError(undefined);
    try {
      onPick(await uploadImage(file));
    } catch (thrown) {
      setError(describeError(thrown));
      setBusy(false);
    }
  }

  const drop = {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop(event: DragEvent) {
      event.preventDefault();
      void upload(event.dataTransfer.files[0]);
    },
  };
  return (
    <>
      <div
        {...drop}
        className="flex flex-wrap items-center justify-center gap-3 rounded-xl border border-dashed border-edge px-4 py-6"
      >
        <Button icon={ImageUp} look="primary" autoFocus busy={busy} onClick={() => input.current?.click()}>
          {t.upload}
        </Button>
        <p className="text-soft">{t.uploadHint}</p>
        <input
          ref={input}
          type="file"
          accept={TYPES}
          hidden
          onChange={({ target }) => {
            void upload(target.files?.[0]);
            // Without this, the same file could not be chosen again after an error.
            target.value = '';
          }}
        />
      </div>
      <div className="mt-3">
        <FormError error={error} />
      </div>
    </>
  );
}

function Library({ onPick }: { onPick(media: Picked): void }) {
  const media = useInfiniteQuery(mediaList);
  const [deleting, setDeleting] = useState<Media | null>(null);
  const items = media.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-label={t.library} className="mt-4">
      <h3 className="mb-2 font-medium">{t.library}</h3>
      {media.isPending && <Skeleton className="h-32" />}
      {media.isError && <ErrorState error={media.error} retry={() => void media.refetch()} />}
      {media.isSuccess && items.length === 0 && <p className="text-soft">{t.empty}</p>}
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {items.map((item) => (
          <li key={item.id} className="group relative min-w-0">
            <button
              type="button"
              className="block w-full rounded-lg border border-line p-1 text-left hover:border-edge"
              onClick={() => onPick(item)}
            >
              <img
                src={item.url}
                alt=""
                loading="lazy"
                className="h-24 w-full rounded-md bg-panel object-contain"
              />
              <span className="mt-1 block truncate px-1 text-[0.8125rem]">{item.name}</span>
              <span className="block px-1 text-xs text-soft">{t.size(item.width, item.height)}</span>
            </button>
            <IconButton
              icon={Trash2}
              label={t.delete(item.name)}
              className="absolute top-2 right-2 bg-raised opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
              onClick={() => setDeleting(item)}
            />
          </li>
        ))}
      </ul>
      {media.hasNextPage && (
        <Button
          size="small"
          className="mt-3"
          busy={media.isFetchingNextPage}
          onClick={() => void media.fetchNextPage()}
        >
          {t.more}
        </Button>
      )}
      {deleting && (
        <ConfirmDialog
          title={t.deleteTitle(deleting.name)}
          text={t.deleteText}
          action={texts.common.delete}
          run={async () => {
            await sendJson('DELETE', `/media/${deleting.id}`);
            await refresh('media');
          }}
          onClose={() => setDeleting(null)}
        />
      )}
    </section>
  );
}

function ByAddress({ onPick }: { onPick(media: Picked): void }) {
  const [url, setUrl] = useState('');
  return (
    <form
      className="mt-5 flex flex-wrap items-end gap-2 border-t border-line pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        onPick({ url: url.trim() });
      }}
    >
      <TextField
        className="min-w-0 grow"
        label={editorTexts.imageAddress}
        placeholder="https://"
        pattern="\s*(https?://|\{\{).+"
        required
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <Button type="submit">{t.use}</Button>
    </form>
  );
}

interface DescribeProps {
  picked: Picked;
  onBack(): void;
  onDone(alt: string): void;
}

function Describe({ picked, onBack, onDone }: DescribeProps) {
  const [alt, setAlt] = useState('');
  const [isDecoration, setIsDecoration] = useState(false);
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        onDone(isDecoration ? '' : alt.trim());
      }}
    >
      <img src={picked.url} alt="" className="mx-auto max-h-48 rounded-lg bg-panel object-contain" />
      <TextField
        label={editorTexts.imageAlt}
        hint={editorTexts.imageAltHint}
        value={alt}
        autoFocus
        required={!isDecoration}
        disabled={isDecoration}
        maxLength={1000}
        onChange={(event) => setAlt(event.target.value)}
      />
      <CheckboxField
        label={t.decoration}
        hint={t.decorationHint}
        checked={isDecoration}
        onChange={(event) => setIsDecoration(event.target.checked)}
      />
      <DialogActions>
        <Button onClick={onBack}>{t.other}</Button>
        <Button type="submit" look="primary">
          {editorTexts.insert}
        </Button>
      </DialogActions>
    </form>
  );
}
