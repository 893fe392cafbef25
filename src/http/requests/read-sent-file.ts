/** Reads a body that is a file: the bytes themselves, or the only file of a form. */
import type { ReceivedFile, Route } from '../../features/api/route.ts';
import { AppError, badRequest } from '../../platform/errors.ts';
import { refuseOtherType } from './body.ts';
import { isForm, readForm } from './read-form.ts';

export async function readSentFile(
  { contentTypes, alsoTaken = [], maxBytes }: NonNullable<Route['takesFile']>,
  contentType: string | undefined,
  body: Buffer,
): Promise<ReceivedFile> {
  const file = isForm(contentType)
    ? await readOnlyFile(contentType!, body)
    : { content: body, filename: null };
  if (!isForm(contentType))
    refuseOtherType(
      contentType,
      [...contentTypes, ...alsoTaken],
      `The request body must be the file itself, with one of these content types: ${contentTypes.join(', ')}; or a form with one file, as multipart/form-data.`,
    );
  if (file.content.length === 0) throw badRequest('The file is empty.');
  if (file.content.length > maxBytes)
    throw new AppError('TOO_LARGE', `The file is too large. The limit is ${maxBytes} bytes.`);
  return file;
}

async function readOnlyFile(contentType: string, body: Buffer): Promise<ReceivedFile> {
  const { files } = await readForm(contentType, body);
  const [file] = files;
  if (!file || files.length > 1)
    throw badRequest(`The form must have exactly one file. It has ${files.length}.`);
  return { content: file.content, filename: file.filename };
}
