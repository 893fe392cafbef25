import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../../platform/schema.ts';
import type { ReceivedFile } from '../../api/route.ts';
import { readImage, type ImageInfo, type ImageType } from './read-image.ts';

export const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

export const IMAGE_TYPES = [
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
] as const satisfies ImageType[];

const mediaSchema = z
  .object({
    id: z.string(),
    url: z.string().describe('Public, and the same for as long as the image exists'),
    name: z.string(),
    contentType: z.enum(IMAGE_TYPES).describe('Detected from the content of the image'),
    width: z.int().describe('In pixels'),
    height: z.int().describe('In pixels'),
    size: z.int().describe('In bytes'),
    createdAt: timestamp,
  })
  .meta({ id: 'Media' });

export type SentImage = ReceivedFile & ImageInfo;

/** The body of an upload, with the type and size that were read from its bytes. */
export const sentImage = z.custom<ReceivedFile>().transform((file, context): SentImage => {
  const image = readImage(file.content);
  if (typeof image !== 'string') return { ...file, ...image };
  context.addIssue({ code: 'custom', message: image });
  return z.NEVER;
});

export const mediaAnswer = mediaSchema;
export const mediaInputQuery = z.object({
  name: text({ min: 1, max: 200, trim: true })
    .optional()
    .describe('The name of the image. Default: the file name in the form'),
});
export const mediaParams = z.object({ mediaId: pathId() });
export const mediaQuery = z.object(cursorQuery);
export const mediaPage = cursorPage(mediaSchema);
export const mediaDeleted = z.object({ id: z.string(), success: z.boolean() });

export type Media = z.infer<typeof mediaSchema>;
