import type { Message } from '../../../../src/features/mailboxes/reading/threads.schema.ts';
import { ApiError, apiUrl, toApiError } from '../../../api/client.ts';
import { fileBody } from '../parts/file-body.ts';

interface Upload {
  mailboxId: string;
  draftId: string;
  file: File;
  contentId: string | null;
  /** A fraction from 0 to 1. */
  onProgress(done: number): void;
}

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
export async function uploadFile({
  mailboxId,
  draftId,
  file,
  contentId,
  onProgress,
}: Upload): Promise<Message> {
  const body = JSON.stringify(await fileBody(file, contentId));
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', apiUrl(`/mailboxes/${mailboxId}/drafts/${draftId}/attachments`));
    request.setRequestHeader('content-type', 'application/json');
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total === 0 ? 0 : loaded / total),
    );
    request.addEventListener('error', () => reject(new ApiError(0, 'OFFLINE', '')));
    request.addEventListener('load', () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText) as Message);
      else void toApiError(request.status, request.responseText).then(reject);
    });
    request.send(body);
  });
}
