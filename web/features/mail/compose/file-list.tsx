import { Paperclip, X } from 'lucide-react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { formatBytes } from '../../../ui/format-bytes.ts';
import type { ComposeFile } from './file-state.ts';

const t = mailTexts.compose;

export function FileList({
  files,
  remove,
}: {
  files: readonly ComposeFile[];
  remove(file: ComposeFile): void;
}) {
  const shown = files.filter(({ contentId }) => contentId === null);
  if (shown.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2 px-4 pb-2">
      {shown.map((file) => {
        const percent = Math.round((file.progress ?? 1) * 100);
        return (
          <li
            key={file.key}
            className="relative flex max-w-full items-center gap-2 overflow-hidden rounded-lg border border-line bg-panel py-1 pr-1 pl-2.5"
          >
            <Paperclip aria-hidden className="size-3.5 shrink-0 text-soft" />
            <span className="max-w-48 truncate">{file.name}</span>
            <span className="shrink-0 text-xs text-soft">{formatBytes(file.size)}</span>
            {file.progress !== null && (
              <span
                role="progressbar"
                aria-label={t.uploading(file.name, percent)}
                aria-valuenow={percent}
                aria-valuemin={0}
                aria-valuemax={100}
                className="absolute bottom-0 left-0 h-0.5 bg-brass transition-[width]"
                style={{ width: `${percent}%` }}
              />
            )}
            <button
              type="button"
              aria-label={t.remove(file.name)}
              disabled={file.progress !== null}
              onClick={() => remove(file)}
              className="rounded p-0.5 hover:bg-hover disabled:opacity-40"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
