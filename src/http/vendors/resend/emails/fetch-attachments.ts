/** Fetches the attachments that an email names by URL, with the same rules as for webhook endpoints. */
import type { Facts } from '../../../../features/instance/facts.ts';
import { countReceived } from '../../../../platform/memory/request-meter.ts';
import { FetchFailure } from '../../../../features/instance/fetch-file.ts';
import { MAX_CONTENT_BYTES } from '../../../../features/sending/emails/emails.schema.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { createTeamQueue } from '../../../../platform/concurrency/team-queue.ts';
import type { ResendEmail } from './email-shape.ts';

const TIMEOUT_MS = 30_000;
/** Each fetch may hold a whole file in memory. */
const fetchQueue = createTeamQueue({ atOnce: 4, perTeam: 2 });

/** The `prepare` of a route whose body is an email or a draft. All its files share one byte limit and one deadline. */
export async function prepareAttachments<Body extends Pick<ResendEmail, 'attachments'>>({
  teamId,
  facts: { fetchFile, stopping },
  body,
}: {
  teamId: number;
  facts: Facts;
  body: Body;
}): Promise<Body> {
  const named = (body.attachments ?? []).filter(({ path }) => path);
  if (named.length === 0) return body;
  await fetchQueue(teamId, async () => {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stopping]);
    let maxBytes = MAX_CONTENT_BYTES;
    for (const attachment of named) {
      const url = attachment.path!;
      if (attachment.content !== undefined && attachment.content !== null)
        throw invalidField('attachments', 'cannot have both content and path');
      const file = await fetchFile(url, { maxBytes, signal });
      if (file instanceof FetchFailure)
        throw invalidField('attachments', `cannot be fetched from ${url.slice(0, 200)}: ${file.reason}`);
      countReceived(file.length);
      maxBytes -= file.length;
      attachment.content = file.toString('base64');
      attachment.filename ??= nameIn(url);
      attachment.path = null;
    }
  });
  return body;
}

/** Returns the last part of the URL's path. */
function nameIn(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1)!;
  try {
    return decodeURIComponent(last) || 'attachment';
  } catch {
    return last;
  }
}
