/** Uploads, lists and removes the files of a draft. Each file is uploaded as soon as it is added. */
import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { getJson, sendJson } from '../../../api/client.ts';
import { describeError } from '../../../api/describe-error.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { showToast } from '../../../ui/toasts.ts';
import { attachmentUrl } from '../live/mail-api.ts';
import { randomKey } from '../../../api/random-key.ts';
import { toBody, type ComposerEdge } from './composer-edge.ts';
import { nextFileKey, numberOf, storedFile, type ComposeFile } from './file-state.ts';
import { uploadFile } from './upload-file.ts';

/** The pattern that the server requires. */
const CONTENT_ID = /^[\w.@+-]{1,200}$/;
const PICTURE = /^image\/(?:png|jpeg|gif|webp)$/;

/** Images become part of the text if the text has the focus; all other files are attached. */
export function takeFiles(edge: ComposerEdge, files: readonly File[]): void {
  const { editor, dispatch } = edge;
  for (const file of files) {
    if (PICTURE.test(file.type) && editor.current?.editor?.isFocused) {
      const { src, cid } = embedImage(edge, file);
      editor.current.insertImage(src, cid, file.name);
    } else {
      dispatch({ type: 'file-added', key: nextFileKey(), file, contentId: null });
    }
  }
}

export function embedImage({ dispatch }: ComposerEdge, file: File): { src: string; cid: string } {
  const cid = `${randomKey()}@posthorn`;
  dispatch({ type: 'file-added', key: nextFileKey(), file, contentId: cid });
  return { src: URL.createObjectURL(file), cid };
}

/** Attaches the files of a message that is forwarded. */
export async function copyFilesOf({ dispatch }: ComposerEdge, { id, attachments }: Message): Promise<void> {
  for (const { n, filename, content_type, content_id } of attachments) {
    const response = await fetch(attachmentUrl(id, n), { credentials: 'same-origin' });
    const name = filename ?? mailTexts.thread.unnamed(n);
    if (!response.ok) {
      showToast(mailTexts.compose.uploadFailed(name), { tone: 'bad' });
      continue;
    }
    const file = new File([await response.blob()], name, { type: content_type });
    const contentId = CONTENT_ID.test(content_id ?? '') ? content_id : null;
    dispatch({ type: 'file-added', key: nextFileKey(), file, contentId });
  }
}

interface Upload {
  key: number;
  file: File;
  contentId: string | null;
}

export async function uploadAttachment(edge: ComposerEdge, { key, file, contentId }: Upload): Promise<void> {
  const { composition, saver, stateNow, dispatch } = edge;
  const { mailboxId } = composition;
  const onProgress = (progress: number) => dispatch({ type: 'file-progressed', key, progress });
  try {
    await saver.withDraft(
      (draftId) => uploadFile({ mailboxId, draftId, file, contentId, onProgress }),
      toBody(stateNow().content),
    );
    dispatch({ type: 'file-uploaded', key });
  } catch (error) {
    dispatch({ type: 'file-failed', key, text: describeError(error) });
  }
}

export async function listFiles({ composition, saver, stateNow, dispatch }: ComposerEdge): Promise<void> {
  try {
    const { attachments } = await saver.withDraft(
      (draftId) => getJson<Message>(`/mailboxes/${composition.mailboxId}/drafts/${draftId}`),
      toBody(stateNow().content),
    );
    dispatch({ type: 'files-listed', files: attachments.map(storedFile) });
  } catch {
    // Without a connection, nothing can be sent either.
  }
}

export async function removeFile(edge: ComposerEdge, { key, name }: ComposeFile): Promise<void> {
  const { composition, saver, stateNow, dispatch } = edge;
  try {
    await saver.withDraft(async (draftId) => {
      // Its number is certain only now, because other files may have been removed before it.
      const path = `/mailboxes/${composition.mailboxId}/drafts/${draftId}`;
      const draft = await sendJson<Message>(
        'DELETE',
        `${path}/attachments/${numberOf(stateNow().files, key)}`,
      );
      dispatch({ type: 'file-removed', key });
      return draft;
    }, toBody(stateNow().content));
  } catch (error) {
    showToast(`${name}: ${describeError(error)}`, { tone: 'bad' });
  }
}
