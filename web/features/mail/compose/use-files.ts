/** The files of a draft: each goes up by itself as soon as it is there, and is on the server when the draft is. */
import { useRef, useState } from 'react';
import type { Message } from '../../../../src/features/threads/threads.schema.ts';
import { getJson, sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { attachmentUrl } from '../mail-api.ts';
import type { DraftBody, DraftSaver } from './draft-saver.ts';
import { uploadFile } from './upload-file.ts';

const t = mailTexts.compose;
/** What the server takes. */
const CONTENT_ID = /^[\w.@+-]{1,200}$/;
const MOST_BYTES = 25 * 1024 * 1024;

export interface ComposeFile {
  key: number;
  name: string;
  size: number;
  /** Set for a picture in the text. */
  contentId: string | null;
  /** Null once it is there. */
  progress: number | null;
}

interface FilesOptions {
  mailboxId: string;
  saver: DraftSaver;
  start: Message['attachments'];
  bodyNow(): DraftBody;
}

let lastKey = 0;

export function useFiles({ mailboxId, saver, start, bodyNow }: FilesOptions) {
  const [files, setFiles] = useState<readonly ComposeFile[]>(() => start.map(fromStored));
  const list = useRef(files);

  function set(next: readonly ComposeFile[]): void {
    list.current = next;
    setFiles(next);
  }

  function change(key: number, changes: Partial<ComposeFile>): void {
    set(list.current.map((file) => (file.key === key ? { ...file, ...changes } : file)));
  }

  async function add(file: File, contentId: string | null = null): Promise<void> {
    const total = list.current.reduce((sum, { size }) => sum + size, file.size);
    if (total > MOST_BYTES) {
      showToast(`${t.uploadFailed(file.name)} ${t.tooLarge}`, { tone: 'bad' });
      return;
    }
    const key = ++lastKey;
    set([...list.current, { key, name: file.name, size: file.size, contentId, progress: 0 }]);
    try {
      await saver.withDraft(
        (draftId) =>
          uploadFile({
            mailboxId,
            draftId,
            file,
            contentId,
            onProgress: (progress) => change(key, { progress }),
          }),
        bodyNow(),
      );
      change(key, { progress: null });
    } catch (error) {
      set(list.current.filter((each) => each.key !== key));
      showToast(`${t.uploadFailed(file.name)} ${describeError(error)}`, { tone: 'bad' });
      await lookAgain();
    }
  }

  /** An upload whose answer was lost may have arrived: what would be sent must be in sight. */
  async function lookAgain(): Promise<void> {
    try {
      const { attachments } = await saver.withDraft(
        (draftId) => getJson<Message>(`/mailboxes/${mailboxId}/drafts/${draftId}`),
        bodyNow(),
      );
      set([...attachments.map(fromStored), ...list.current.filter(({ progress }) => progress !== null)]);
    } catch {
      // Without a connection nothing can be sent either.
    }
  }

  async function remove({ key, name }: ComposeFile): Promise<void> {
    try {
      await saver.withDraft(async (draftId) => {
        // Its number is its place among those that are there, when its turn comes.
        const n = list.current
          .filter(({ progress }) => progress === null)
          .findIndex((file) => file.key === key);
        const draft = await sendJson<Message>(
          'DELETE',
          `/mailboxes/${mailboxId}/drafts/${draftId}/attachments/${n}`,
        );
        set(list.current.filter((file) => file.key !== key));
        return draft;
      }, bodyNow());
    } catch (error) {
      showToast(`${name}: ${describeError(error)}`, { tone: 'bad' });
    }
  }

  /** Files of another message come along. */
  async function copyFrom({ id, attachments }: Message): Promise<void> {
    for (const { n, filename, content_type, content_id } of attachments) {
      const response = await fetch(attachmentUrl(id, n), { credentials: 'same-origin' });
      const name = filename ?? mailTexts.thread.unnamed(n);
      const contentId = CONTENT_ID.test(content_id ?? '') ? content_id : null;
      if (response.ok) await add(new File([await response.blob()], name, { type: content_type }), contentId);
      else showToast(t.uploadFailed(name), { tone: 'bad' });
    }
  }

  const isUploading = files.some(({ progress }) => progress !== null);
  return { files, add, remove, copyFrom, isUploading };
}

function fromStored({ filename, size, content_id, n }: Message['attachments'][number]): ComposeFile {
  const name = filename ?? mailTexts.thread.unnamed(n);
  return { key: ++lastKey, name, size, contentId: content_id, progress: null };
}
