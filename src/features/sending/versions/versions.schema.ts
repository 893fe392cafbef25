import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, timestamp } from '../../../platform/schema.ts';

const listed = z
  .object({
    id: z.string(),
    subject: z.string().nullable(),
    savedAt: timestamp.describe('When this content was saved'),
    replacedAt: timestamp.describe('When other content took its place'),
  })
  .meta({ id: 'VersionListItem' });

const version = listed
  .extend({
    previewText: z.string().nullable().describe('Only of campaigns'),
    html: z.string().nullable(),
    text: z.string().nullable(),
    content: z.string().nullable().describe('The JSON document of the email editor'),
    rendered: z.string().nullable().describe('The HTML as it would be sent, with merge tags'),
  })
  .meta({ id: 'Version' });

export const versionPage = cursorPage(listed);
export const versionQuery = z.object(cursorQuery);
export const versionSchema = version;
export const versionId = pathId();

export type Version = z.infer<typeof version>;
export type VersionListItem = z.infer<typeof listed>;
