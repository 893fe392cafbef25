import type { z } from 'zod';
import { attachment } from '../../sending/emails/emails.schema.ts';

const { contentType, contentId } = attachment.shape;

/** Mailboxes write fields in snake_case. The spelling of `POST /emails` is read too, and not in the OpenAPI document. */
export const fileInput = attachment.extend({
  content_type: contentType.describe('Also read as contentType'),
  content_id: contentId.describe(`${contentId.description}. Also read as contentId`),
  contentType: contentType.meta({ aliasOf: 'content_type' }),
  contentId: contentId.meta({ aliasOf: 'content_id' }),
});

export type FileInput = z.output<typeof fileInput>;
