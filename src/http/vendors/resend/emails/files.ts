/** Attachments in Resend's format, with links that work without a key for an hour. */
import { z } from 'zod';
import type { EmailAttachment } from '../../../../features/sending/emails/emails.schema.ts';
import type { Facts } from '../../../../features/instance/facts.ts';
import { publicLinksOf, type FileLink } from '../../../../features/content/links/links.ts';
import { decodeId } from '../../../../platform/ids.ts';
import { HOUR_MS } from '../../../../platform/durations.ts';

const LINK_MS = HOUR_MS;

export const shownFile = z.object({
  object: z.literal('attachment'),
  id: z.string(),
  filename: z.string().optional(),
  size: z.int(),
  content_type: z.string(),
  content_disposition: z.enum(['inline', 'attachment']),
  content_id: z.string().optional(),
  download_url: z.string(),
  expires_at: z.string(),
});

export function linkTo(
  facts: Facts,
  teamId: number,
  file: Pick<FileLink, 'of' | 'part'> & { id: string },
): { download_url: string; expires_at: string } {
  const expiresAt = new Date(Date.now() + LINK_MS);
  const id = decodeId(file.of === 'email' ? 'eml' : 'msg', file.id)!;
  const download_url = publicLinksOf(facts).file({ teamId, of: file.of, id, part: file.part, expiresAt });
  return { download_url, expires_at: expiresAt.toISOString() };
}

/** The ID of an attachment is its number in the email. */
export function presentFile(
  facts: Facts,
  teamId: number,
  owner: { of: FileLink['of']; id: string },
  { no, filename, contentType, contentId, inline, size }: EmailAttachment,
) {
  return {
    object: 'attachment' as const,
    id: String(no),
    ...(filename === null ? {} : { filename }),
    size,
    content_type: contentType,
    content_disposition: inline ? ('inline' as const) : ('attachment' as const),
    ...(contentId === null ? {} : { content_id: contentId }),
    ...linkTo(facts, teamId, { ...owner, part: no }),
  };
}
