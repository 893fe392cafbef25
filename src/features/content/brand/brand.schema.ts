import { z } from 'zod';
import { text, timestamp } from '../../../platform/schema.ts';

const colour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, { error: 'must be a colour, such as #102030' })
  .nullable();

const url = text({ max: 2000, trim: true })
  .refine((value) => /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value), {
    error: 'must be a URL that starts with https:// or http://',
  })
  .nullable();

const FONT_FAMILIES = ['sans', 'system', 'verdana', 'trebuchet', 'serif', 'mono'] as const;

const fields = {
  logoUrl: url.describe('The URL of an image, for example of one in the media library'),
  backgroundColor: colour.describe('Around the content'),
  contentColor: colour.describe('Behind the text'),
  textColor: colour,
  linkColor: colour,
  buttonColor: colour,
  fontFamily: z.enum(FONT_FAMILIES).nullable(),
  footerText: text({ max: 2000, trim: true }).nullable(),
  postalAddress: text({ max: 1000, trim: true }).nullable(),
};

export const brandAnswer = z
  .object({ ...fields, updatedAt: timestamp.nullable().describe('Null if the team has no brand yet') })
  .meta({ id: 'Brand' });
export const brandUpdate = z.object(fields).partial();

export type Brand = z.infer<typeof brandAnswer>;
export type BrandUpdate = z.output<typeof brandUpdate>;
