import { Download, Eye, File, FileImage, FileText } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { arrivalTexts } from '../../../texts/en/mail-arrival.ts';
import { IconButton } from '../../../ui/button.tsx';
import { formatBytes } from '../../../ui/format-bytes.ts';
import { attachmentUrl } from '../live/mail-api.ts';
import { canPreview } from './previewable.ts';

const t = mailTexts.thread;

const AttachmentPreview = lazy(async () => ({
  default: (await import('./attachment-preview.tsx')).AttachmentPreview,
}));

/** Leaves out attachments that the message shows inline. */
export function AttachmentList({ message }: { message: Message }) {
  const [shown, setShown] = useState<Message['attachments'][number] | null>(null);
  const html = message.html ?? '';
  const files = message.attachments.filter(
    ({ content_id }) => !content_id || !html.includes(`cid:${content_id.replaceAll(/^<|>$/g, '')}`),
  );
  if (files.length === 0) return null;
  return (
    <div>
      <p className="mb-1.5 text-[0.8125rem] text-soft">{t.attachments(files.length)}</p>
      <ul className="flex flex-wrap gap-2">
        {files.map((file) => {
          const name = file.filename ?? t.unnamed(file.n);
          const Icon = iconOf(file.content_type);
          return (
            <li key={file.n} className="flex max-w-full items-center">
              <a
                href={attachmentUrl(message.id, file.n)}
                download={name}
                className="flex max-w-full items-center gap-2 rounded-lg border border-line bg-panel px-3 py-2 hover:bg-hover"
              >
                <Icon aria-hidden className="size-4 shrink-0 text-soft" />
                <span className="sr-only">{t.download}</span>
                <span className="max-w-56 truncate">{name}</span>
                <span className="shrink-0 text-xs text-soft">{formatBytes(file.size)}</span>
                <Download aria-hidden className="size-4 shrink-0 text-soft" />
              </a>
              {canPreview(file) && (
                <IconButton icon={Eye} label={arrivalTexts.preview(name)} onClick={() => setShown(file)} />
              )}
            </li>
          );
        })}
      </ul>
      {shown && (
        <Suspense>
          <AttachmentPreview
            messageId={message.id}
            file={shown}
            name={shown.filename ?? t.unnamed(shown.n)}
            onClose={() => setShown(null)}
          />
        </Suspense>
      )}
    </div>
  );
}

function iconOf(type: string) {
  if (type.startsWith('image/')) return FileImage;
  return type.startsWith('text/') || type === 'application/pdf' ? FileText : File;
}
