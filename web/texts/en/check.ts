import type { CampaignFinding } from '../../../src/features/campaigns/check/check.schema.ts';
import { number, plural } from './number.ts';

export type FindingCode = CampaignFinding['code'];

export const checkTexts = {
  /** The server writes English. Other languages have sentences of their own for the codes. */
  finding: (_code: FindingCode, message: string) => message,
  title: 'Before you send',
  running: 'Checking…',
  failed: 'The check could not be finished. You can still send the campaign.',
  asking: (count: number) =>
    plural(count, {
      one: 'Checking whether 1 link works…',
      other: `Checking whether ${number(count)} links work…`,
    }),
  linksWork: (count: number) =>
    plural(count, { one: '1 link or image works', other: `${number(count)} links and images work` }),
  size: (kilobytes: number) => `${number(kilobytes)} kB. Gmail clips emails at 102 kB`,
  aligned: (domain: string) => `Email from ${domain} passes DMARC`,
  spam: (score: number, from: number) =>
    `A spam filter gives it ${number(score)} points. Mail is spam from ${number(from)}`,
  oneClick: 'Recipients can unsubscribe with one click',
  levels: { blocks: 'Must be fixed', warning: 'Warning', advice: 'Advice' },
  variants: (names: string[]) =>
    plural(names.length, {
      one: `Variant ${names[0]}: `,
      other: `Variants ${names.slice(0, -1).join(', ')} and ${names.at(-1)}: `,
    }),
  people: (count: number) => plural(count, { one: '1 recipient', other: `${number(count)} recipients` }),
  ofContacts: (count: number) =>
    `of ${plural(count, { one: '1 contact', other: `${number(count)} contacts` })}`,
  who: 'Who gets it, and who does not',
  inBook: (name: string, recipients: number, contacts: number) =>
    `${name}: ${number(recipients)} of ${number(contacts)}`,
  inSegment: (name: string, contacts: number) => `In the segment ${name}: ${number(contacts)}`,
  inTopic: (name: string, contacts: number) => `Subscribed to the topic ${name}: ${number(contacts)}`,
  leftOut: {
    unsubscribed: 'Unsubscribed',
    unconfirmed: 'Not confirmed yet',
    suppressed: 'Suppressed',
    not_in_segment: 'Not in the segment',
    in_excluded_segment: 'In an excluded segment',
    not_in_topic: 'Not subscribed to the topic',
    excluded_by_campaign: 'Excluded by the earlier campaign',
    duplicate: 'Also in another contact book',
  },
  places: (count: number) => plural(count, { one: 'Show it', other: `Show all ${number(count)}` }),
};
