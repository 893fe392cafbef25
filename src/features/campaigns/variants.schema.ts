import { z } from 'zod';
import { text } from '../../platform/schema.ts';
import { html, withTags } from '../content/content-limits.ts';
import { mailbox } from '../sending/emails/emails.schema.ts';
import { editorContent } from '../content/editor-content.schema.ts';
import { shownVariant } from '../content/versions/versions.schema.ts';

const MIN_VARIANTS = 2;
const MAX_VARIANTS = 4;
const MAX_MINUTES = 30 * 24 * 60;

const variantInput = z
  .object({
    subject: withTags(text({ min: 1, max: 998, trim: true }), 'plain').nullish(),
    from: mailbox.nullish().describe('An address on a verified domain of your team'),
    previewText: withTags(text({ max: 500 }), 'plain').nullish(),
    html: withTags(html({ max: 500_000 }), 'html').nullish(),
    content: editorContent.nullish(),
  })
  .refine((variant) => Object.values(variant).some(Boolean), {
    error: 'must have its own subject, from, previewText, html or content',
  });

/** The input of an A/B test. A variant takes the fields that it does not set from the campaign. */
export const testFields = {
  variants: z
    .array(variantInput)
    .min(MIN_VARIANTS)
    .max(MAX_VARIANTS)
    .nullish()
    .describe('An A/B test: what differs in each variant. null: no test'),
  testPercent: z
    .int()
    .min(1)
    .max(100)
    .nullish()
    .describe('The percentage of recipients in the test; 20 by default. All others get the winner'),
  decideBy: z
    .enum(['opens', 'clicks', 'person'])
    .nullish()
    .describe(
      'The variant with the highest rate of opens (the default) or clicks by people wins, which needs tracking. `person`: choose it with `POST /campaigns/{campaignId}/winner`',
    ),
  decideAfterMinutes: z
    .int()
    .min(0)
    .max(MAX_MINUTES)
    .nullish()
    .describe('How long after the test was sent the winner is chosen; 240 by default'),
};

/** An A/B test as the API shows it. */
export const shownTestFields = {
  variants: z
    .array(shownVariant)
    .nullable()
    .describe('null: no A/B test. A field that is null is taken from the campaign'),
  testPercent: z.int(),
  decideBy: z.enum(['opens', 'clicks', 'person']),
  decideAfterMinutes: z.int(),
  testSentAt: z.iso.datetime().nullable().describe('When the test had been sent to all of its recipients'),
  winner: z.int().nullable().describe('The position of the variant that all others get, from 0'),
  decidedAt: z.iso.datetime().nullable(),
};

export const winnerInput = z.object({
  variant: z
    .int()
    .min(0)
    .max(MAX_VARIANTS - 1)
    .describe('The position of the variant, from 0'),
});

export const variantResults = z
  .object({
    variants: z.array(
      z.object({
        variant: z.int(),
        subject: z.string(),
        recipients: z.int().describe('How many recipients got it or will get it, as far as known'),
        sent: z.int(),
        delivered: z.int(),
        opened: z.int().describe('Emails that people opened'),
        clicked: z.int().describe('Emails with a link that people clicked'),
      }),
    ),
    winner: z.int().nullable(),
    testSentAt: z.iso.datetime().nullable(),
    decideAt: z.iso
      .datetime()
      .nullable()
      .describe('When the winner will be chosen, if it has not been chosen yet'),
  })
  .meta({ id: 'CampaignVariantResults' });

/** Every email that can be sent has content. */
export function hasContent(
  campaign: { html: string | null; content: string | null },
  variants: { html?: string | null | undefined; content?: string | null | undefined }[] | null | undefined,
): boolean {
  if (campaign.html || campaign.content) return true;
  return variants ? variants.every(({ html, content }) => html || content) : false;
}

export type TestInput = z.output<z.ZodObject<typeof testFields>>;
export type VariantResults = z.infer<typeof variantResults>;
