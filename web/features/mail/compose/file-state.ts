/**
 * The files of a message that is being written, and the transitions for each event. It is pure, as a part of
 * `composer-state.ts`.
 */
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { mailTexts } from '../../../texts/en/mail.ts';

const t = mailTexts.compose;
/** The limit of the server. */
export const MOST_BYTES = 25 * 1024 * 1024;

export interface ComposeFile {
  key: number;
  name: string;
  size: number;
  /** Set for an image in the text. */
  contentId: string | null;
  /** A fraction from 0 to 1 while it is uploaded, then null. */
  progress: number | null;
}

export type FileEvent =
  | { type: 'file-added'; key: number; file: File; contentId: string | null }
  | { type: 'file-progressed'; key: number; progress: number }
  | { type: 'file-uploaded'; key: number }
  | { type: 'file-failed'; key: number; text: string }
  | { type: 'file-removed'; key: number }
  /** The files that the server has stored. */
  | { type: 'files-listed'; files: readonly ComposeFile[] };

type FileEffect =
  | { type: 'upload'; key: number; file: File; contentId: string | null }
  | { type: 'list-files' }
  | { type: 'complain'; text: string };

let lastKey = 0;

export function nextFileKey(): number {
  lastKey += 1;
  return lastKey;
}

export function storedFile({ filename, size, content_id, n }: Message['attachments'][number]): ComposeFile {
  const name = filename ?? mailTexts.thread.unnamed(n);
  return { key: nextFileKey(), name, size, contentId: content_id, progress: null };
}

export function nextFiles(
  files: readonly ComposeFile[],
  event: FileEvent,
): [readonly ComposeFile[], FileEffect[]] {
  switch (event.type) {
    case 'file-added':
      return add(files, event);
    case 'file-progressed':
      return [withProgress(files, event.key, event.progress), []];
    case 'file-uploaded':
      return [withProgress(files, event.key, null), []];
    case 'file-failed':
      return fail(files, event.key, event.text);
    case 'file-removed':
      return [files.filter(({ key }) => key !== event.key), []];
    case 'files-listed':
      return [[...event.files, ...files.filter(({ progress }) => progress !== null)], []];
  }
}

export function isUploading(files: readonly ComposeFile[]): boolean {
  return files.some(({ progress }) => progress !== null);
}

/** The server numbers its files from 0. */
export function numberOf(files: readonly ComposeFile[], key: number): number {
  return files.filter(({ progress }) => progress === null).findIndex((file) => file.key === key);
}

/** Returns images that are no longer in the text. */
export function unusedImages(files: readonly ComposeFile[], html: string): ComposeFile[] {
  return files.filter(({ contentId }) => contentId && !html.includes(`cid:${contentId}`));
}

function add(
  files: readonly ComposeFile[],
  { key, file, contentId }: Extract<FileEvent, { type: 'file-added' }>,
): [readonly ComposeFile[], FileEffect[]] {
  const { name, size } = file;
  const total = files.reduce((sum, each) => sum + each.size, size);
  if (total > MOST_BYTES)
    return [files, [{ type: 'complain', text: `${t.uploadFailed(name)} ${t.tooLarge}` }]];
  return [
    [...files, { key, name, size, contentId, progress: 0 }],
    [{ type: 'upload', key, file, contentId }],
  ];
}

/** An upload may have arrived although its response was lost, so the list must show every file that would be sent. */
function fail(
  files: readonly ComposeFile[],
  key: number,
  text: string,
): [readonly ComposeFile[], FileEffect[]] {
  const failed = files.find((file) => file.key === key);
  return [
    files.filter((file) => file !== failed),
    [{ type: 'complain', text: `${t.uploadFailed(failed?.name ?? '')} ${text}` }, { type: 'list-files' }],
  ];
}

function withProgress(files: readonly ComposeFile[], key: number, progress: number | null): ComposeFile[] {
  return files.map((file) => (file.key === key ? { ...file, progress } : file));
}
