/** Uploads and downloads of files (RFC 8620 section 6). */
import { requireSpace } from '../features/instance/require-space.ts';
import { storeUpload } from '../features/mailboxes/jmap/uploads.ts';
import type { MountedAnswer, MountedRequest } from '../platform/mounted-door.ts';
import { encodeId } from '../platform/ids.ts';
import { AppError } from '../platform/errors.ts';
import { answerJson, overLimit, RequestProblem } from './answers.ts';
import type { Authenticated } from './authenticate.ts';
import { findBlob } from './calls/blobs.ts';
import { toAccountId } from './calls/ids.ts';
import { LIMITS } from './calls/limits.ts';
import { maxSizeUpload } from './session.ts';
import type { JmapTools } from './calls/tools.ts';

const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]{1,100}\/[A-Za-z0-9!#$&^_.+-]{1,100}(?: *;[ -~]{0,200})?$/;
const OCTETS = 'application/octet-stream';

export async function upload(
  tools: JmapTools,
  request: MountedRequest,
  { login }: Authenticated,
): Promise<MountedAnswer> {
  const accountId = decode(request.path.slice('/jmap/upload/'.length).replace(/\/$/, ''));
  if (accountId !== toAccountId(login)) throw noSuchAccount();
  const end = tools.limits.begin('upload', login.mailboxId);
  if (!end)
    throw overLimit('maxConcurrentUpload', `Only ${LIMITS.maxConcurrentUpload} uploads can run at once.`);
  try {
    const declaredBytes = Number(request.header('content-length') ?? 0);
    await requireSpace(tools.facts, login.teamId, declaredBytes);
    const given = request.header('content-type') ?? OCTETS;
    const type = MEDIA_TYPE.test(given) ? given : OCTETS;
    const { id, size } = await request.withBody(
      maxSizeUpload(tools.facts),
      login.teamId,
      async (content) => ({
        id: await storeUpload(tools.db, login, { content, contentType: type }),
        size: content.length,
      }),
    );
    return answerJson({ accountId, blobId: encodeId('upl', id), type, size }, 201);
  } catch (error) {
    if (error instanceof AppError && error.code === 'TOO_LARGE')
      throw overLimit('maxSizeUpload', error.message);
    throw error;
  } finally {
    end();
  }
}

export async function download(
  tools: JmapTools,
  request: MountedRequest,
  { login }: Authenticated,
): Promise<MountedAnswer> {
  const [accountId = '', blobId = '', ...rest] = request.path
    .slice('/jmap/download/'.length)
    .split('/')
    .map(decode);
  if (accountId !== toAccountId(login)) throw noSuchAccount();
  const found = await findBlob(tools.db, login, blobId);
  if (!found) throw new RequestProblem(404, 'about:blank', 'This blob does not exist.');
  const asked = request.query.type ?? '';
  return {
    status: 200,
    headers: {
      'content-type': MEDIA_TYPE.test(asked) ? asked : found.type,
      'content-disposition': `attachment${writeName(rest.join('_'))}`,
      // A file may come from an outsider. If a browser shows it, this policy prevents scripts.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      // The content of a blob never changes.
      'cache-control': 'private, immutable, max-age=31536000',
    },
    body: found.content,
  };
}

/** RFC 6266, with the encoding of RFC 8187. */
function writeName(name: string): string {
  if (name === '') return '';
  const plain = name.slice(0, 200).replaceAll(/[^ -~]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name.slice(0, 200).toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function noSuchAccount(): RequestProblem {
  return new RequestProblem(404, 'about:blank', 'This account does not exist.');
}
