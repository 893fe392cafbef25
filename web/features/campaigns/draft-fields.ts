/** The fields of the draft form, and their conversion to and from the API. */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { toTranslationInputs, translationsOf } from '../translations/translation-fields.ts';
import { toVariantInputs, variantsOf } from './variant-fields.ts';

export interface DraftFields {
  name: string;
  subject: string;
  from: string;
  previewText: string;
  replyTo: string;
  contactBookId: string;
  segmentId: string;
  topicId: string;
  excludeCampaignId: string;
  /** `yes` or `no`, as the value of a select. */
  notOpened: string;
  content: string | null;
  html: string;
  /** The variants of an A/B test as one text, empty without a test (variant-fields.ts). */
  variants: string;
  testPercent: string;
  decideBy: string;
  decideAfterMinutes: string;
  /** `yes` or `no`. */
  showInArchive: string;
  /** The plain text part. If it is empty, it is derived from the content. */
  text: string;
  /** The translations as one text, empty without any (translation-fields.ts). */
  translations: string;
}

export type FieldName = keyof DraftFields;

/** The fields of which versions are kept. */
export const CONTENT_FIELDS: readonly FieldName[] = [
  'subject',
  'previewText',
  'content',
  'html',
  'text',
  'variants',
  'translations',
];

export function fieldsOf(campaign: Campaign): DraftFields {
  return {
    name: campaign.name,
    subject: campaign.subject,
    from: campaign.from,
    previewText: campaign.previewText ?? '',
    replyTo: campaign.replyTo.join(', '),
    contactBookId: campaign.contactBookId ?? '',
    segmentId: campaign.segmentId ?? '',
    topicId: campaign.topicId ?? '',
    excludeCampaignId: campaign.excludeCampaignId ?? '',
    notOpened: campaign.notOpened ? 'yes' : 'no',
    content: campaign.content,
    html: campaign.html ?? '',
    variants: variantsOf(campaign),
    testPercent: String(campaign.testPercent),
    decideBy: campaign.decideBy,
    decideAfterMinutes: String(campaign.decideAfterMinutes),
    showInArchive: campaign.showInArchive ? 'yes' : 'no',
    text: campaign.text ?? '',
    translations: translationsOf(campaign),
  };
}

export function namesOf(fields: Partial<DraftFields>): FieldName[] {
  return Object.keys(fields) as FieldName[];
}

/** Contains only the named fields, so that changes that others made to the rest are kept. */
export function toInput(fields: DraftFields, names: FieldName[]): object {
  const replyTo = fields.replyTo
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const all: Record<FieldName, unknown> = {
    ...fields,
    previewText: fields.previewText || null,
    text: fields.text || null,
    replyTo: replyTo.length > 0 ? replyTo : null,
    segmentId: fields.segmentId || null,
    topicId: fields.topicId || null,
    excludeCampaignId: fields.excludeCampaignId || null,
    notOpened: fields.excludeCampaignId !== '' && fields.notOpened === 'yes',
    variants: toVariantInputs(fields.variants, fields.subject),
    translations: toTranslationInputs(fields.translations, fields.subject),
    testPercent: fields.testPercent === '' ? null : Number(fields.testPercent),
    decideAfterMinutes: Number(fields.decideAfterMinutes),
    showInArchive: fields.showInArchive === 'yes',
  };
  // Variants without a subject of their own use the campaign's.
  const sent = names.includes('subject') && fields.variants !== '' ? [...names, 'variants' as const] : names;
  return Object.fromEntries(sent.map((name) => [name, all[name]]));
}

const TOGETHER: readonly (readonly FieldName[])[] = [
  ['contactBookId', 'segmentId'],
  ['excludeCampaignId', 'notOpened'],
];

/**
 * Groups fields that are validated together: each field alone, but a segment with its book, and a campaign with the
 * condition on its recipients.
 */
export function partsOf(names: FieldName[]): FieldName[][] {
  const grouped = TOGETHER.map((group) => names.filter((name) => group.includes(name)));
  const others = names.filter((name) => !TOGETHER.flat().includes(name)).map((name) => [name]);
  return [...others, ...grouped.filter((group) => group.length > 0)];
}
