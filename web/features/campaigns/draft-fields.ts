/** What the form of a draft holds, beside what the API calls it. */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';

export interface DraftFields {
  name: string;
  subject: string;
  from: string;
  previewText: string;
  replyTo: string;
  contactBookId: string;
  segmentId: string;
  topicId: string;
  content: string | null;
  html: string;
}

export type FieldName = keyof DraftFields;

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
    content: campaign.content,
    html: campaign.html ?? '',
  };
}

export function namesOf(fields: Partial<DraftFields>): FieldName[] {
  return Object.keys(fields) as FieldName[];
}

/** Only these fields: what others change elsewhere is not ours to say. */
export function toInput(fields: DraftFields, names: FieldName[]): object {
  const replyTo = fields.replyTo
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const all: Record<FieldName, unknown> = {
    ...fields,
    previewText: fields.previewText || null,
    replyTo: replyTo.length > 0 ? replyTo : null,
    segmentId: fields.segmentId || null,
    topicId: fields.topicId || null,
  };
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

/** What can be right or wrong by itself: each field, but a segment is right in its book alone. */
export function partsOf(names: FieldName[]): FieldName[][] {
  const isAudience = (name: FieldName) => name === 'contactBookId' || name === 'segmentId';
  const audience = names.filter(isAudience);
  const others = names.filter((name) => !isAudience(name)).map((name) => [name]);
  return audience.length > 0 ? [...others, audience] : others;
}
