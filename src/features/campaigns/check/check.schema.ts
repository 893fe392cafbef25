import { z } from 'zod';
import { NETWORK_ERRORS } from '../../instance/network-errors.ts';

export const GMAIL_CLIPS_AT_BYTES = 102 * 1024;
export const MAX_CHECKED_LINKS = 50;

const findingCode = z.enum([
  'not_ready',
  'no_recipients',
  'no_content',
  'unknown_tags',
  'foreign_tags',
  'missing_translations',
  'broken_links',
  'doubtful_links',
  'unchecked_links',
  'unusable_links',
  'sample_links',
  'insecure_links',
  'untracked_links',
  'links_left_out',
  'images_without_text',
  'unsupported_html',
  'unsupported_css',
  'large_style_sheet',
  'too_large',
  'nearly_too_large',
  'long_subject',
  'no_preview_text',
  'no_unsubscribe_link',
  'no_postal_address',
  'test_not_tracked',
  'not_tracked',
  'not_aligned',
  'no_dmarc_record',
  'warm_up',
  'spam_score',
  'listed_links',
  'mostly_images',
  'no_one_click',
]);

const finding = z
  .object({
    code: findingCode,
    level: z
      .enum(['blocks', 'warning', 'advice'])
      .describe('`blocks`: the campaign cannot be sent until this is corrected'),
    message: z.string(),
    variant: z
      .int()
      .nullable()
      .describe('The variant of the A/B test, from 0, if the finding is about only one'),
    places: z
      .array(z.string())
      .describe('The first 20 URLs, names or pieces of HTML and CSS that the finding is about'),
  })
  .meta({ id: 'CampaignFinding' });

const checkedLink = z
  .object({
    url: z.string(),
    kind: z.enum(['link', 'image']),
    tracked: z.boolean().describe('Whether clicks on it are counted'),
    state: z
      .enum(['ok', 'broken', 'doubtful', 'unchecked'])
      .describe(
        '`doubtful`: its server is busy or blocks automated requests. `unchecked`: it has merge tags, it leads to this server or to example.com, there was no time left, or `links` is false',
      ),
    statusCode: z.int().nullable().describe('The status code of the last response, after redirects'),
    problem: z
      .enum([...NETWORK_ERRORS, 'redirects', 'not_an_image'])
      .nullable()
      .describe(
        'Why it does not work. `redirects`: more than 5, or to something other than http and https. `not_an_image`: the URL of an image returns a page, such as a sign-in page',
      ),
  })
  .meta({ id: 'CheckedLink' });

const leftOutReason = z.enum([
  'unsubscribed',
  'unconfirmed',
  'suppressed',
  'not_in_segment',
  'in_excluded_segment',
  'not_in_topic',
  'excluded_by_campaign',
  'duplicate',
]);

const counted = z.object({ id: z.string(), name: z.string(), contacts: z.int() });

const audience = z
  .object({
    contacts: z.int().describe('The contacts in all contact books of the campaign'),
    recipients: z.int().describe('How many would get the campaign if it started now'),
    leftOut: z
      .array(z.object({ reason: leftOutReason, count: z.int() }))
      .describe('Each contact counts for the first reason that applies. `duplicate`: also in another book'),
    books: z.array(counted.extend({ recipients: z.int() })),
    segment: counted.nullable().describe('How many contacts of the books match the segment'),
    topic: counted.nullable().describe('How many contacts of the books are subscribed to the topic'),
  })
  .meta({ id: 'CampaignAudience' });

export const campaignCheck = z
  .object({
    ready: z.boolean().describe('False if a finding blocks'),
    findings: z.array(finding).describe('Those that block the campaign first, then warnings, then advice'),
    links: z.array(checkedLink),
    linksLeftOut: z.int().describe(`The number of links beyond the first ${MAX_CHECKED_LINKS}`),
    htmlBytes: z.int().describe('The size of the HTML as it is sent, of the largest variant'),
    spam: z
      .object({
        by: z.enum(['rspamd', 'built-in']),
        score: z.number(),
        spamFrom: z.number().describe('Mail is spam from this score'),
        isSpam: z.boolean(),
        reasons: z.array(z.string()).max(20).describe('Sentences, the weightiest first'),
      })
      .nullable()
      .describe(
        'What a spam filter says: rspamd if there is one, and what your team has taught by moving mail to spam otherwise. Of the worst variant. Null with `links=false`, and if the filter does not answer',
      ),
    oneClick: z
      .boolean()
      .describe('Whether recipients can unsubscribe with one click (RFC 8058), which needs an https URL'),
    days: z.int().describe('How many days sending takes. More than 1 only while an address is warmed up'),
    sender: z.object({
      domain: z.string(),
      dkimAligned: z.boolean().describe('Email is signed for the domain of the sender, and DNS has the key'),
      spfAligned: z.boolean().describe('The return path is below the domain of the sender, and SPF passes'),
      dmarcRecord: z.boolean(),
    }),
    audience,
  })
  .meta({ id: 'CampaignCheck' });

export const checkQuery = z.object({
  links: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true')
    .describe('`false` returns immediately, without checking the links'),
});

export type CampaignCheck = z.infer<typeof campaignCheck>;
export type CampaignAudience = z.infer<typeof audience>;
export type CheckedLink = z.infer<typeof checkedLink>;
export type CampaignFinding = z.infer<typeof finding>;
export type LeftOut = z.infer<typeof leftOutReason>;
