/** Tools for campaigns and automations. None of them sends, schedules or starts one. */
import { z } from 'zod';
import type { Automation } from '../../../features/automations/definition/automations.schema.ts';
import type { AutomationReport } from '../../../features/automations/reports/runs.schema.ts';
import { cursor, idempotencyKey, nextCursor, someId } from './shapes.ts';
import { ADDS, READS, tool } from './tool.ts';

interface Campaign {
  id: string;
  name: string;
  status: string;
}

interface CampaignCheck {
  ready: boolean;
  findings: { code: string; level: string; message: string; places: string[] }[];
  audience: { contacts: number; recipients: number; leftOut: { reason: string; count: number }[] };
}

interface CampaignReport {
  counts: Record<string, number>;
  rates: Record<string, number>;
  tracked: { opens: boolean; clicks: boolean };
  links: { url: string; clicks: number; people: number }[];
  bounces: { reason: string; count: number }[];
}

const campaignId = someId.describe('The ID of the campaign');
const campaignShape = z.object({ id: z.string(), name: z.string(), status: z.string() });
const numbers = z.record(z.string(), z.number());
const MOST_LISTED = 20;

export const campaignTools = [
  tool({
    name: 'create_campaign_draft',
    title: 'Draft a campaign',
    description:
      'Creates a campaign as a draft, which a person checks and sends. Merge tags such as {{firstName,fallback=friend}} are filled in for each contact.',
    hints: ADDS,
    operations: ['createCampaign'],
    input: z.object({
      name: z.string().min(1).max(200),
      from: z.string().min(1).max(1000).describe('An address on a verified domain of the team'),
      subject: z.string().min(1).max(998),
      preview_text: z.string().max(500).optional(),
      html: z.string().min(1).max(500_000),
      text: z.string().max(500_000).optional().describe('Made from the HTML by default'),
      contact_book_id: someId.describe('From list_segments'),
      segment_id: someId.optional().describe('Only contacts that match this segment'),
      idempotency_key: idempotencyKey,
    }),
    output: z.object({ campaign: campaignShape }),
    run: ({ preview_text, contact_book_id, segment_id, idempotency_key, ...fields }, { call }) =>
      call<Campaign>('createCampaign', {
        body: {
          ...fields,
          previewText: preview_text,
          contactBookId: contact_book_id,
          segmentId: segment_id,
        },
        idempotencyKey: idempotency_key,
      }),
    present: ({ id, name, status }) => ({ campaign: { id, name, status } }),
  }),
  tool({
    name: 'check_campaign',
    title: 'Check a campaign',
    description: 'What is wrong with a campaign before it is sent, and how many people would get it.',
    hints: READS,
    operations: ['checkCampaign'],
    input: z.object({ campaign_id: campaignId }),
    output: z.object({
      ready: z.boolean(),
      findings: z.array(
        z.object({ code: z.string(), level: z.string(), message: z.string(), places: z.array(z.string()) }),
      ),
      contacts: z.int(),
      recipients: z.int(),
      left_out: z.array(z.object({ reason: z.string(), count: z.int() })),
    }),
    run: ({ campaign_id: id }, { call }) =>
      call<CampaignCheck>('checkCampaign', { params: { campaignId: id }, query: { links: false } }),
    present: ({ ready, findings, audience }) => ({
      ready,
      findings: findings.slice(0, MOST_LISTED).map(({ code, level, message, places }) => ({
        code,
        level,
        message,
        places: places.slice(0, 3).map((place) => place.slice(0, 200)),
      })),
      contacts: audience.contacts,
      recipients: audience.recipients,
      left_out: audience.leftOut,
    }),
  }),
  tool({
    name: 'campaign_report',
    title: 'Report of a campaign',
    description:
      'How a campaign has done: counts, rates in percent, the most clicked links, and reasons of bounces. Opens and clicks are those of people; what bots did begins with `machine`.',
    hints: READS,
    operations: ['getCampaign', 'getCampaignReport'],
    input: z.object({ campaign_id: campaignId }),
    output: z.object({
      campaign: campaignShape,
      counts: numbers,
      rates: numbers,
      opens_tracked: z.boolean(),
      clicks_tracked: z.boolean(),
      links: z.array(z.object({ url: z.string(), clicks: z.int(), people: z.int() })),
      bounces: z.array(z.object({ reason: z.string(), count: z.int() })),
    }),
    async run({ campaign_id: id }, { call }) {
      const params = { campaignId: id };
      const campaign = await call<Campaign>('getCampaign', { params });
      return { campaign, report: await call<CampaignReport>('getCampaignReport', { params }) };
    },
    present: ({ campaign: { id, name, status }, report }) => ({
      campaign: { id, name, status },
      counts: report.counts,
      rates: report.rates,
      opens_tracked: report.tracked.opens,
      clicks_tracked: report.tracked.clicks,
      links: report.links
        .slice(0, MOST_LISTED)
        .map(({ url, clicks, people }) => ({ url: url.slice(0, 300), clicks, people })),
      bounces: report.bounces,
    }),
  }),
  tool({
    name: 'list_automations',
    title: 'List automations',
    description: 'The automations of the team, newest first.',
    hints: READS,
    operations: ['listAutomations'],
    input: z.object({
      status: z.enum(['DRAFT', 'ACTIVE', 'PAUSED', 'CLOSED']).optional(),
      limit: z.int().min(1).max(50).default(25),
      cursor,
    }),
    output: z.object({
      automations: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          status: z.string(),
          contact_book_id: z.string(),
          steps: z.int(),
          updated_at: z.string(),
        }),
      ),
      next_cursor: nextCursor,
    }),
    run: (query, { call }) =>
      call<{ items: Automation[]; next_cursor: string | null }>('listAutomations', { query }),
    present: ({ items, next_cursor }) => ({
      automations: items.map(({ id, name, status, contactBookId, steps, updatedAt }) => ({
        id,
        name,
        status,
        contact_book_id: contactBookId,
        steps: steps.length,
        updated_at: updatedAt,
      })),
      next_cursor,
    }),
  }),
  tool({
    name: 'automation_report',
    title: 'Report of an automation',
    description:
      'How many people are in each step of an automation, what its emails have done, and how runs ended.',
    hints: READS,
    operations: ['getAutomationReport'],
    input: z.object({ automation_id: someId.describe('From list_automations') }),
    output: z.object({
      runs: numbers,
      exits: numbers,
      steps: z.array(
        z.object({
          key: z.string(),
          type: z.string(),
          entered: z.int(),
          waiting: z.int(),
          done: z.int(),
          skipped: z.int(),
          failed: z.int(),
          email: numbers.nullable(),
        }),
      ),
    }),
    run: ({ automation_id: automationId }, { call }) =>
      call<AutomationReport>('getAutomationReport', { params: { automationId } }),
    present: ({ runs, exits, steps }) => ({
      runs,
      exits,
      steps: steps.slice(0, 60).map(({ key, type, entered, waiting, done, skipped, failed, email }) => ({
        key,
        type,
        entered,
        waiting,
        done,
        skipped,
        failed,
        email,
      })),
    }),
  }),
];
