/** Reads a body that is plain text. */
import { isUtf8 } from 'node:buffer';
import { badRequest } from '../../platform/errors.ts';
import { refuseOtherType } from './body.ts';

export function readText(types: readonly string[], contentType: string | undefined, body: Buffer): string {
  refuseOtherType(contentType, types, 'The text must be in UTF-8.');
  if (!isUtf8(body)) throw badRequest('The request body is not valid UTF-8.');
  return body.toString('utf8');
}
