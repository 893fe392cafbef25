import { z } from 'zod';
import { parseAddress } from '../../../mail/mime/address.ts';
import { plainId, text, timestamp } from '../../../platform/schema.ts';
import { MAX_FOLDER_NAME, NOT_FOR_RULES } from '../storage/folder-names.ts';

export const MAX_RULES = 200;
const MAX_PARTS = 20;

const FIELDS = [
  'from',
  'to',
  'cc',
  'delivered_to',
  'subject',
  'body',
  'list_id',
  'attachment',
  'size',
  'authentication',
  'spam',
  'first_contact',
  'segment',
] as const;
const HEADER_FIELD = /^header:[!-9;-~]{1,100}$/;
const RULE_OPS = [
  'is',
  'is_not',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'exists',
  'greater',
  'less',
] as const;
export type RuleOp = (typeof RULE_OPS)[number];

const TEXT_OPS: readonly RuleOp[] = [
  'is',
  'is_not',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'exists',
];
const OPS: Record<string, readonly RuleOp[]> = {
  size: ['greater', 'less'],
  authentication: ['is', 'is_not'],
  spam: ['is', 'is_not'],
  first_contact: ['is', 'is_not'],
  segment: ['is', 'is_not'],
};

const condition = z
  .object({
    field: text({ min: 1, max: 110 })
      .refine((value) => (FIELDS as readonly string[]).includes(value) || HEADER_FIELD.test(value), {
        error: `must be one of ${FIELDS.join(', ')}, or header: and the name of a header field`,
      })
      .meta({ examples: ['from', 'subject', 'header:X-Priority'] })
      .describe(
        '`from`, `to`, `cc`, `delivered_to` (the recipient of the envelope), `subject`, `body`, `header:` and a name, `list_id`, `attachment` (a file name), `size` (bytes), `authentication` (`pass`, `fail` or `none`), `spam`, `first_contact` (true or false) or `segment` (the ID of a segment that the sender is in)',
      ),
    op: z.enum(RULE_OPS).describe('`matches` takes `*` and `?`. Case does not matter'),
    value: z
      .union([text({ max: 1000 }), z.number(), z.boolean()])
      .nullable()
      .default(null)
      .describe('`exists` takes true (default) or false'),
  })
  .superRefine(({ field, op, value }, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const ops = OPS[field] ?? TEXT_OPS;
    if (!ops.includes(op)) return issue('op', `must be one of ${ops.join(', ')} for ${field}`);
    if (op === 'exists') {
      if (value !== undefined && value !== null && typeof value !== 'boolean')
        issue('value', 'must be true or false');
    } else if (op === 'greater' || op === 'less') {
      if (typeof value !== 'number' || !(value >= 0)) issue('value', 'must be a number of bytes');
    } else if (field === 'spam' || field === 'first_contact') {
      if (typeof value !== 'boolean') issue('value', 'must be true or false');
    } else if (field === 'authentication') {
      if (!['pass', 'fail', 'none'].includes(String(value))) issue('value', 'must be pass, fail or none');
    } else if (typeof value !== 'string' || value === '')
      issue('value', 'must be a string of 1 to 1000 characters');
  });

const label = text({ min: 1, max: 100 }).describe(
  'A label of the mailbox by its ID, name or keyword, or a keyword of email apps. The rule keeps the keyword',
);
const htmlBody = text({ min: 1, max: 20_000 });
const DURATION = /^\d{1,4} (?:minutes?|hours?|days?|weeks?)$/;
const action = z.discriminatedUnion('type', [
  z.object({ type: z.literal('label'), value: label }),
  z.object({ type: z.literal('unlabel'), value: label }),
  z.object({
    type: z.literal('move'),
    value: text({ min: 1, max: MAX_FOLDER_NAME })
      .refine((value) => !NOT_FOR_RULES.includes(value), {
        error: 'must be inbox, archive, spam, trash, or the ID or name of a folder',
      })
      .describe('inbox, archive, spam, trash, or the ID or name of a folder. The rule keeps the ID'),
  }),
  z.object({ type: z.literal('read') }),
  z.object({ type: z.literal('star') }),
  z.object({ type: z.literal('assign'), user_id: plainId }),
  z.object({
    type: z.literal('snooze'),
    for: text({ min: 1, max: 20 })
      .refine((value) => DURATION.test(value), { error: 'must be a duration, such as 3 days' })
      .meta({ examples: ['3 days'] }),
  }),
  z.object({ type: z.literal('note'), html: htmlBody }),
  z.object({ type: z.literal('notify') }),
  z.object({
    type: z.literal('forward'),
    to: text({ min: 1, max: 320 })
      .refine((value) => parseAddress(value) !== null, { error: 'must be a valid email address' })
      .meta({ format: 'email' })
      .describe('A mailbox of your team, or an address whose owner has agreed by a link'),
    pending: z
      .boolean()
      .optional()
      .describe('In responses: whether the owner of the address has not agreed yet. Ignored in requests'),
  }),
  z.object({ type: z.literal('reply'), saved_reply_id: plainId }),
  z.object({ type: z.literal('draft'), saved_reply_id: plainId }),
  z.object({
    type: z.literal('webhook'),
    url: text({ min: 1, max: 2000 }).refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
      error: 'must be an http or https URL',
    }),
  }),
  z.object({
    type: z.literal('event'),
    name: text({ min: 1, max: 100 }).refine(
      (value) =>
        /^[a-z][a-z0-9_.-]{0,99}$/.test(value) &&
        !/^(?:email|contact|domain|campaign|mailbox|automation)\./.test(value),
      { error: 'must be the name of an event of your own' },
    ),
  }),
  z.object({ type: z.literal('spam') }),
  z.object({ type: z.literal('trash') }),
]);

const fields = {
  name: text({ min: 1, max: 200, trim: true }),
  enabled: z.boolean(),
  position: z.int().min(1).max(MAX_RULES).describe('Rules act in this order. The first has 1'),
  match: z.enum(['all', 'any']),
  conditions: z.array(condition).max(MAX_PARTS).describe('Without conditions the rule matches every message'),
  actions: z.array(action).min(1).max(MAX_PARTS),
  stop: z.boolean().describe('Whether later rules are left out if this one matches'),
};

const rule = z
  .object({
    id: z.string(),
    ...fields,
    disabled_reason: z
      .string()
      .nullable()
      .describe('Why the rule was switched off by itself, for example because a folder is gone'),
    last_run: z
      .object({ at: timestamp, message_id: z.string().nullable(), error: z.string().nullable() })
      .nullable()
      .describe('What the rule did last'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Rule' });

export const ruleInput = z.object({
  name: fields.name,
  enabled: fields.enabled.default(true),
  position: fields.position.optional().describe('Default: after all others'),
  match: fields.match.default('all'),
  conditions: fields.conditions.default([]),
  actions: fields.actions,
  stop: fields.stop.default(false),
});
export const ruleUpdate = z
  .object({
    name: fields.name.optional(),
    enabled: fields.enabled.optional(),
    position: fields.position.optional(),
    match: fields.match.optional(),
    conditions: fields.conditions.optional(),
    actions: fields.actions.optional(),
    stop: fields.stop.optional(),
  })
  .refine((update) => Object.values(update).some((value) => value !== undefined), {
    error: 'must have a field to change',
  });
export const ruleParams = z.object({ id: plainId, ruleId: plainId });
export const ruleAnswer = rule;
export const ruleList = z.object({ items: z.array(rule).max(MAX_RULES) });
export const ruleDeleted = z.object({ id: z.string(), success: z.boolean() });

export const previewInput = z.object({ days: z.int().min(1).max(365).default(30) }).default({ days: 30 });
export const previewAnswer = z.object({
  count: z.int().describe('Messages that the rule matches'),
  examined: z.int().describe('Messages that were looked at, the newest 5,000 at most'),
  messages: z
    .array(
      z
        .object({
          id: z.string(),
          thread_id: z.string(),
          from: z.string(),
          subject: z.string(),
          folder: z.string(),
          created_at: timestamp,
        })
        .meta({ id: 'MatchedMessage' }),
    )
    .max(20),
});
export const applicationAnswer = z
  .object({
    status: z.enum(['running', 'done', 'failed']),
    examined: z.int(),
    matched: z.int(),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'RuleApplication' });
const MAX_SCRIPT = 200_000;
export const sieveScript = z.object({
  script: text({ max: MAX_SCRIPT }).describe('A Sieve script (RFC 5228)'),
});
export const sieveStored = z.object({ rules: z.int().describe('Rules that the mailbox now has') });

export type RuleCondition = z.output<typeof condition>;
export type RuleAction = z.output<typeof action>;
export type Rule = z.infer<typeof rule>;
export type RuleInput = z.output<typeof ruleInput>;
export type RuleUpdate = z.output<typeof ruleUpdate>;
export type RulePreview = z.infer<typeof previewAnswer>;
export type RuleApplication = z.infer<typeof applicationAnswer>;
