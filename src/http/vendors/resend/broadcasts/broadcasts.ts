/** Broadcasts are campaigns to a segment or a contact book. */
import { z } from 'zod';
import type { Caller } from '../../../../features/api/caller.ts';
import { listCampaignsFrom } from '../../../../features/campaigns/campaign-row.ts';
import {
  campaignInput,
  campaignUpdate,
  type Campaign,
  type CampaignListItem,
  type CampaignStatus,
} from '../../../../features/campaigns/campaigns.schema.ts';
import {
  createCampaign,
  deleteCampaign,
  getCampaign,
  updateCampaign,
} from '../../../../features/campaigns/campaigns.ts';
import { scheduleCampaign, unscheduleCampaign } from '../../../../features/campaigns/states.ts';
import { escapeHtml } from '../../../../mail/html/entities.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { findAudience } from '../audience/audience.ts';
import { findFallbacks } from '../audience/contact-properties.ts';
import { orNull, readTime } from '../emails/email-shape.ts';
import { deleteRoute, listRoute } from '../routing/object-routes.ts';
import { fromBroadcastTags, toBroadcastTags } from '../emails/merge-tags.ts';
import { repeated, resendRoute } from '../routing/resend-route.ts';
import { copyName } from '../emails/templates.ts';

const BODY_LIMIT = 4 * 1024 * 1024;

const anything = z.unknown().optional();
const part = z.string().max(2_000_000).nullish();
const reference = text({ min: 1, max: 256 }).nullish();
const scheduledAt = z.string().max(200).nullish();
const broadcastFields = {
  name: anything,
  segment_id: reference,
  audience_id: reference,
  from: anything,
  subject: part,
  reply_to: anything,
  preview_text: part,
  html: part,
  text: part,
  topic_id: reference,
};
const broadcastUpdate = z.strictObject({ ...broadcastFields, ...repeated('id', 'broadcast_id') });
const newBroadcast = z.strictObject({
  ...broadcastFields,
  send: z.boolean().nullish(),
  scheduled_at: scheduledAt,
});

const listed = z.object({
  id: z.string(),
  name: z.string(),
  segment_id: z.string().nullable(),
  audience_id: z.string().nullable(),
  status: z.enum(['draft', 'queued', 'sent']),
  created_at: z.string(),
  scheduled_at: z.string().nullable(),
  sent_at: z.string().nullable(),
});
const shown = listed.extend({
  object: z.literal('broadcast'),
  from: z.string(),
  subject: z.string(),
  reply_to: z.array(z.string()).nullable(),
  preview_text: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  topic_id: z.string().nullable(),
});
const accepted = z.object({ id: z.string() });
const named = accepted.extend({ object: z.literal('broadcast') });
const params = z.object({ id: pathId() });
/** These are the same as in our own campaign routes. */
const kept = { permission: 'full', boundKeys: 'kept-to-domain' } as const;

export const resendBroadcastRoutes = [
  resendRoute({
    method: 'POST',
    path: '/broadcasts',
    scope: 'campaigns.write',
    ...kept,
    creates: 'campaigns',
    body: newBroadcast,
    bodyLimitBytes: BODY_LIMIT,
    answer: accepted,
    async handle({ db, caller, body: { send, scheduled_at, ...body } }) {
      if (scheduled_at && !send) throw invalidField('scheduled_at', 'can only be used with send');
      if (!body.segment_id && !body.audience_id) throw invalidField('segment_id', 'is required');
      const at = readTime(scheduled_at)?.toISOString();
      const when = at ? { scheduledAt: at } : { sendNow: Boolean(send) };
      const html = body.html || (body.text ? toHtml(body.text) : undefined);
      const fields = await toCampaign(db, caller, { ...body, html });
      const name = body.name ?? ([...(body.subject ?? '')].slice(0, 200).join('') || undefined);
      const input = validate(campaignInput, { ...fields, name, ...when });
      return { id: (await createCampaign(db, caller, input)).id };
    },
  }),
  listRoute({
    path: '/broadcasts',
    scope: 'campaigns.read',
    ...kept,
    list: ({ db, caller }, page) => listCampaignsFrom(db, caller, page),
    item: listed,
    present: presentListed,
  }),
  resendRoute({
    method: 'GET',
    path: '/broadcasts/{id}',
    scope: 'campaigns.read',
    ...kept,
    params,
    answer: shown,
    handle: async ({ db, caller, params: { id } }) => present(await getCampaign(db, caller, id)),
  }),
  resendRoute({
    method: 'PATCH',
    path: '/broadcasts/{id}',
    scope: 'campaigns.write',
    ...kept,
    params,
    body: broadcastUpdate,
    bodyLimitBytes: BODY_LIMIT,
    answer: accepted,
    async handle({ db, caller, params: { id }, body }) {
      const update = validate(campaignUpdate, await toCampaign(db, caller, body));
      await updateCampaign(db, caller, id, update);
      return { id };
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/broadcasts/{id}/send',
    scope: 'campaigns.send',
    ...kept,
    params,
    body: z.strictObject({ ...repeated('id', 'broadcast_id'), scheduled_at: scheduledAt }).default({}),
    answer: accepted,
    async handle({ db, caller, params: { id }, body }) {
      await scheduleCampaign(db, caller, id, { scheduledAt: readTime(body.scheduled_at)?.toISOString() });
      return { id };
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/broadcasts/{id}/cancel',
    scope: 'campaigns.send',
    storesLittle: true,
    ...kept,
    params,
    answer: named,
    async handle({ db, caller, params: { id } }) {
      await unscheduleCampaign(db, caller, id);
      return { object: 'broadcast' as const, id };
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/broadcasts/{id}/duplicate',
    scope: 'campaigns.write',
    ...kept,
    creates: 'campaigns',
    params,
    answer: named,
    async handle({ db, caller, params: { id } }) {
      const {
        contactBookId: _,
        scheduledAt: __,
        localTime: ___,
        ...before
      } = await getCampaign(db, caller, id);
      const copy = validate(campaignInput, { ...before, name: copyName(before.name) });
      return { object: 'broadcast' as const, id: (await createCampaign(db, caller, copy)).id };
    },
  }),
  deleteRoute({
    path: '/broadcasts/{id}',
    scope: 'campaigns.write',
    ...kept,
    object: 'broadcast',
    async remove({ db, caller }, id) {
      await deleteCampaign(db, caller, id);
    },
  }),
];

/** Sets only the fields of the request. */
async function toCampaign(db: Db, { teamId }: Caller, body: Partial<z.output<typeof broadcastUpdate>>) {
  const audienceId = body.segment_id ?? body.audience_id;
  const audience = audienceId ? await findAudience(db, teamId, audienceId) : null;
  const fallbacks = await findFallbacks(db, teamId);
  const translate = <Text extends string | null | undefined>(text: Text) =>
    fromBroadcastTags(text, fallbacks);
  return {
    name: body.name,
    from: body.from,
    subject: translate(body.subject ?? undefined),
    replyTo: body.reply_to,
    previewText: translate(body.preview_text),
    html: translate(body.html),
    text: translate(body.text),
    topicId: body.topic_id,
    ...(audience ? { contactBookId: audience.bookId, segmentId: audience.segment?.id ?? null } : {}),
  };
}

/** A campaign always has HTML. */
function toHtml(plain: string): string {
  return `<div style="white-space:pre-wrap">${escapeHtml(plain)}</div>`;
}

function presentListed(campaign: CampaignListItem & { sentAt: string | null }) {
  const audienceId = campaign.segmentId ?? campaign.contactBookId;
  return {
    id: campaign.id,
    name: campaign.name,
    segment_id: audienceId,
    audience_id: audienceId,
    status: toStatus(campaign.status),
    created_at: campaign.createdAt,
    scheduled_at: campaign.scheduledAt,
    sent_at: campaign.sentAt,
  };
}

function present(campaign: Campaign) {
  return {
    object: 'broadcast' as const,
    ...presentListed(campaign),
    from: campaign.from,
    subject: toBroadcastTags(campaign.subject),
    reply_to: orNull(campaign.replyTo),
    preview_text: toBroadcastTags(campaign.previewText),
    html: toBroadcastTags(campaign.html),
    text: toBroadcastTags(campaign.text),
    topic_id: campaign.topicId,
  };
}

function toStatus(status: CampaignStatus) {
  if (status === 'DRAFT') return 'draft' as const;
  return status === 'SENT' ? ('sent' as const) : ('queued' as const);
}
