import { typeOfFile } from '../../../mail/mime/file-types.ts';
import type { FileInput } from './file.schema.ts';
import type { StoredFile } from './store-message.ts';

export function toFile(file: FileInput): StoredFile {
  const contentId = file.content_id ?? file.contentId ?? null;
  return {
    filename: file.filename,
    contentType: file.content_type ?? file.contentType ?? typeOfFile(file.filename),
    contentId,
    inline: contentId !== null,
    content: file.content,
  };
}
