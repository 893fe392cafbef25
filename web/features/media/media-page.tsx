/** All images of the team: to add, to find, to copy the address of, and to delete. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Copy, ImageUp, Images, Trash2 } from 'lucide-react';
import { useRef, useState, type DragEvent } from 'react';
import { deleteAndRefresh } from '../../api/delete-and-refresh.ts';
import { describeError } from '../../api/describe-error.ts';
import { isImage, mediaList, uploadImage, type Media } from '../../editor/media/media-api.ts';
import { texts } from '../../texts/en.ts';
import { editorTexts } from '../../texts/en/editor.ts';
import { mediaTexts } from '../../texts/en/media.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { CardGrid } from '../../ui/lists/card-grid.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { showToast } from '../../ui/toasts.ts';

const t = mediaTexts;
const TYPES = 'image/*,.heic,.heif';

export function MediaPage() {
  const media = useInfiniteQuery(mediaList);
  const [deleting, setDeleting] = useState<Media | null>(null);
  const { add, busy, input } = useUploads();
  const items = media.data?.pages.flatMap((page) => page.items) ?? [];
  const button = (
    <Button look="primary" icon={ImageUp} busy={busy} onClick={() => input.current?.click()}>
      {t.upload}
    </Button>
  );
  return (
    <Page title={t.title} description={t.lead} actions={items.length > 0 && button}>
      <input
        ref={input}
        type="file"
        accept={TYPES}
        multiple
        hidden
        onChange={({ target }) => {
          void add([...(target.files ?? [])]);
          // Without this, the same file could not be chosen again after an error.
          target.value = '';
        }}
      />
      <div
        onDragOver={(event: DragEvent) => event.preventDefault()}
        onDrop={(event: DragEvent) => {
          event.preventDefault();
          void add([...event.dataTransfer.files]);
        }}
      >
        <CardGrid
          label={t.title}
          query={media}
          skeleton={{ count: 8, className: 'h-49' }}
          empty={<EmptyState icon={Images} title={t.emptyTitle} text={t.emptyText} action={button} />}
          more={editorTexts.media.more}
        >
          {(item) => <Tile key={item.id} item={item} onDelete={() => setDeleting(item)} />}
        </CardGrid>
      </div>
      {deleting && (
        <ConfirmDialog
          title={editorTexts.media.deleteTitle(deleting.name)}
          text={editorTexts.media.deleteText}
          action={texts.common.delete}
          run={() => deleteAndRefresh(`/media/${deleting.id}`, 'media')}
          done={t.deleted}
          onClose={() => setDeleting(null)}
        />
      )}
    </Page>
  );
}

function Tile({ item, onDelete }: { item: Media; onDelete(): void }) {
  const { url, name, width, height } = item;
  return (
    <li className="min-w-0 overflow-hidden rounded-xl border border-line bg-raised">
      <a href={url} target="_blank" rel="noreferrer" aria-label={t.open(name)} className="block bg-panel">
        <img src={url} alt="" loading="lazy" className="h-36 w-full object-contain" />
      </a>
      <div className="flex items-center gap-1 py-1.5 pr-1.5 pl-3">
        <div className="min-w-0 flex-1">
          <p className="truncate text-note font-medium">{name}</p>
          <p className="text-xs text-soft">{editorTexts.media.size(width, height)}</p>
        </div>
        <IconButton icon={Copy} label={t.copyUrl(name)} onClick={() => void copyText(url, t.copied)} />
        <IconButton icon={Trash2} label={editorTexts.media.delete(name)} onClick={onDelete} />
      </div>
    </li>
  );
}

/** One after the other, so that a large choice of files does not fill the memory. */
function useUploads() {
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  return {
    input,
    busy,
    async add(files: readonly File[]): Promise<void> {
      const images = files.filter(isImage);
      if (images.length < files.length) showToast(editorTexts.droppedFile, { tone: 'bad' });
      setBusy(true);
      for (const image of images) {
        try {
          await uploadImage(image);
        } catch (error) {
          showToast(`${image.name}: ${describeError(error)}`, { tone: 'bad' });
        }
      }
      setBusy(false);
    },
  };
}
