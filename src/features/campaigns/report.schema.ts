import { z } from 'zod';
import { BOUNCE_REASONS } from '../../mail/bounces/bounce-reason.ts';
import { FAILURE_CLASSES } from '../../mail/bounces/failure-classes.ts';
import { timestamp } from '../../platform/schema.ts';
import { mapRates, RATE_BASES } from './rates.ts';

const percent = z.number().min(0).max(100);

export const ratesSchema = z
  .object(mapRates((name) => percent.describe(`Percentage of \`${RATE_BASES[name]}\``)))
  .describe('Percentages from 0 to 100; 0 when there is nothing to divide by')
  .meta({ id: 'CampaignRates' });

export const trackedSchema = z
  .object({ opens: z.boolean(), clicks: z.boolean() })
  .describe(
    'Whether opens and clicks can be counted, by the campaign or its domain. If not, their rates are 0 and say nothing',
  );

const timedCounts = z.object({ sent: z.int(), opened: z.int(), clicked: z.int(), unsubscribed: z.int() });

export const campaignReport = z
  .object({
    counts: z.object({
      total: z.int().describe('The number of recipients when the campaign started'),
      sent: z.int(),
      delivered: z.int(),
      opened: z.int().describe('Recipients who opened it. A click counts as an open'),
      clicked: z.int().describe('Recipients who clicked a link'),
      bounced: z.int(),
      hardBounced: z.int(),
      complained: z.int(),
      unsubscribed: z.int().describe('Contacts who unsubscribed by a link in this campaign'),
      machineOpened: z.int().describe('Emails that a bot opened, such as a privacy proxy'),
      machineClicked: z.int().describe('Emails in which a bot followed a link, such as a link scanner'),
    }),
    rates: ratesSchema,
    rateBases: z
      .object(mapRates((name) => z.literal(RATE_BASES[name])))
      .describe('The name of the count that each rate is a percentage of'),
    tracked: trackedSchema,
    timeline: z
      .array(
        z.object({
          at: timestamp.describe('The beginning of the interval'),
          opened: z.int().describe('First opens by people'),
          clicked: z.int().describe('First clicks by people'),
          unsubscribed: z.int(),
          machineOpened: z.int(),
          machineClicked: z.int(),
        }),
      )
      .describe('Oldest first, without gaps, from the start of the campaign; empty before it'),
    timelineInterval: z
      .enum(['hour', 'day', 'week'])
      .describe(
        'The length of each interval, in UTC: hours for the first three days, then days, and weeks after a year',
      ),
    links: z
      .array(
        z.object({
          url: z.string(),
          clicks: z.int().describe('Clicks by people'),
          people: z.int().describe('Recipients who clicked it'),
          machineClicks: z.int(),
        }),
      )
      .describe('The links that were clicked, most people first. URLs with merge tags are not tracked'),
    domains: z
      .array(
        z.object({
          domain: z.string(),
          sent: z.int(),
          delivered: z.int(),
          bounced: z.int(),
          opened: z.int(),
        }),
      )
      .describe('The 50 domains with the most recipients, largest first'),
    otherDomains: z
      .object({ domains: z.int(), sent: z.int(), delivered: z.int(), bounced: z.int(), opened: z.int() })
      .nullable()
      .describe('All further domains together'),
    languages: z
      .array(
        z.object({
          language: z
            .string()
            .nullable()
            .describe('The BCP 47 tag of the translation. null: the default content'),
          sent: z.int(),
          opened: z.int(),
          clicked: z.int(),
          unsubscribed: z.int(),
        }),
      )
      .describe(
        'For a campaign with translations, what happened in each language, by the language that contacts have now. Otherwise empty',
      ),
    bestHour: z
      .object({
        withinHours: z.int(),
        holdoutPercent: z.int(),
        best: timedCounts.describe('Recipients who got it at their best hour'),
        holdout: timedCounts.describe('Recipients who got it at the start'),
      })
      .nullable()
      .describe('For a campaign with `bestHour`: whether the best hour has helped'),
    bounces: z
      .array(z.object({ reason: z.enum(BOUNCE_REASONS), count: z.int() }))
      .describe('Why emails bounced, most frequent first'),
    bounceClasses: z
      .array(z.object({ class: z.enum(FAILURE_CLASSES), count: z.int() }))
      .describe('The same by class, which is finer. Bounces from before there were classes count as `other`'),
    comparison: z
      .object({
        campaigns: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            startedAt: timestamp,
            sent: z.int(),
            rates: ratesSchema,
            tracked: trackedSchema,
          }),
        ),
        average: z
          .object(mapRates(() => percent.nullable()))
          .nullable()
          .describe(
            'The average of these rates, or null without campaigns. Open and click rates are averaged over campaigns that were tracked, and null if none was',
          ),
      })
      .describe('The last ten campaigns that started before this one, newest first'),
  })
  .meta({ id: 'CampaignReport' });

export type CampaignReport = z.infer<typeof campaignReport>;
