import type { ContactImport } from '../../../src/features/audience/contacts/imports/imports.schema.ts';
import { ApiError, apiUrl, toApiError } from '../../api/client.ts';

/** Uses XMLHttpRequest, because fetch does not report upload progress. */
export function uploadCsv(
  bookId: string,
  file: Blob,
  input: { mapping: string; consent?: string; consentNote?: string },
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<ContactImport> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', apiUrl(`/contactBooks/${bookId}/imports`, input));
    request.setRequestHeader('content-type', 'text/csv');
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total === 0 ? 0 : loaded / total),
    );
    signal.addEventListener('abort', () => request.abort());
    request.addEventListener('error', () => reject(new ApiError(0, 'OFFLINE', '')));
    request.addEventListener('load', () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText) as ContactImport);
      else void toApiError(request.status, request.responseText).then(reject);
    });
    request.send(file);
  });
}
