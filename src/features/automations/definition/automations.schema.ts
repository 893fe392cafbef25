import { z } from 'zod';
import {
  cursorPage,
  cursorQuery,
  dateTime,
  jsonObject,
  pathId,
  record,
  text,
  timestamp,
  timeZone,
} from '../../../platform/schema.ts';
import { parseDays, parseDuration } from './duration.ts';
import { canBeListenedTo } from './own-events.ts';
import { html as htmlText, withTags } from '../../content/content-limits.ts';
import { editorContent } from '../../content/editor-content.schema.ts';
import { translationsInput } from '../../content/translations.schema.ts';
import { ownFieldsInput } from '../../audience/contacts/contacts.schema.ts';
import { readFilter, type SegmentFilter } from '../../audience/segments/segment-filter.ts';

const MAX_STEPS = 200;
const MAX_EXITS = 20;
const MAX_SHARES = 10;

const someId = text({ min: 1, max: 256 });
const stepKey = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/, {
    error: 'must have 1 to 64 characters of a-z, 0-9, _ and -, and begin with a letter',
  })
  // Steps are the keys of JSON objects, and this name has a meaning in JavaScript.
  .refine((key) => key !== 'constructor', { error: 'must not be constructor' });
const next = stepKey
  .nullish()
  .describe('The next step. Default: the one that follows in the list; null ends the run');

const duration = z
  .string()
  .refine((value) => parseDuration(value) !== null, {
    error: 'must be seconds, minutes, hours, days or weeks, up to 366 days, such as "3 days"',
  })
  .describe('Such as `30 minutes`, `3 days` or `2 weeks`: 1 second to 366 days');
const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day, such as 09:00' });

const where = record(z.string(), z.unknown(), { max: 100 })
  .transform((value, context): SegmentFilter => {
    const report = (path: (string | number)[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    return readFilter(value, report, { inRun: true }) ?? z.NEVER;
  })
  .describe(
    'A filter as in segments. Fields may also be `event.x`, a value of the event, `step.<key>` (with op delivered, opened, clicked or replied) and `step.<key>.x`, a value of a webhook’s response.',
  );

/** Names of our own events and of those that applications send. */
const eventOf = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,99}$/, {
    error: 'must be the name of an event, such as order.placed or contact.created',
  })
  .refine(canBeListenedTo, {
    error: 'must be an event of your own, or one of ours that happens to a person, such as contact.created',
  });

const trigger = z.union([
  z.object({ event: eventOf, where: where.nullish() }),
  z.object({ segmentId: someId }),
  z.object({
    date: z.object({
      property: text({ min: 1, max: 256 }),
      offset: z
        .string()
        .regex(/^[+-]?\d{1,3} (?:days?|weeks?)$/, { error: 'must be days or weeks, such as "-7 days"' })
        .refine((value) => Math.abs(parseDays(value)) <= 366, { error: 'must be at most 366 days' })
        .nullish(),
      at: timeOfDay,
      yearly: z.boolean().default(false),
    }),
  }),
]);

function ways<const Names extends string[]>(...names: Names) {
  const shape = Object.fromEntries(names.map((name) => [name, stepKey.nullish()]));
  // A way that the step does not have is an error in the graph.
  return z.strictObject(shape as Record<Names[number], typeof next>).nullish();
}

const variables = record(
  text({ min: 1, max: 256 }),
  z.union([text({ max: 10_000 }), z.number(), z.boolean()]),
  {
    max: 200,
  },
);
const html = withTags(htmlText({ max: 500_000 }), 'html');
const plain = withTags(text({ max: 500_000 }), 'plain');

const emailStep = z
  .object({
    key: stepKey,
    type: z.literal('email'),
    templateId: someId.nullish(),
    variables: variables.nullish(),
    subject: withTags(text({ max: 998 }), 'plain').nullish(),
    previewText: withTags(text({ max: 500 }), 'plain').nullish(),
    html: html.nullish(),
    text: plain.nullish(),
    content: editorContent.nullish(),
    translations: translationsInput,
    from: text({ min: 1, max: 998 }).nullish(),
    replyTo: text({ max: 998 }).nullish(),
    topicId: someId.nullish(),
    kind: z.enum(['marketing', 'transactional']).default('marketing'),
    mailboxId: someId.nullish(),
    sameThread: z.boolean().nullish(),
    quietHours: z.object({ from: timeOfDay, to: timeOfDay }).nullish(),
    next,
  })
  .superRefine((step, context) => {
    if (!step.templateId && !step.html && !step.content)
      context.addIssue({ code: 'custom', path: ['templateId'], message: 'or html or content is required' });
    if (!step.templateId && !step.subject)
      context.addIssue({ code: 'custom', path: ['subject'], message: 'is required without a template' });
  });

const propertyValue = z.union([text({ max: 10_000 }), z.number(), z.boolean(), z.null()]);

const steps = z
  .array(
    z.discriminatedUnion('type', [
      z
        .object({
          key: stepKey,
          type: z.literal('delay'),
          for: duration.nullish(),
          until: z
            .object({ at: timeOfDay, weekdays: z.array(z.int().min(1).max(7)).max(7).nullish() })
            .nullish(),
          next,
        })
        .refine((step) => !!step.for !== !!step.until, {
          error: 'or until is required, but not both',
          path: ['for'],
        }),
      z.object({
        key: stepKey,
        type: z.literal('wait'),
        event: eventOf.describe('An event, or `replied`, `opened` or `clicked` for emails of the run'),
        where: where.nullish(),
        timeout: duration,
        since: z.enum(['run', 'step']).default('run'),
        next: ways('received', 'timeout'),
      }),
      z.object({ key: stepKey, type: z.literal('condition'), where, next: ways('yes', 'no') }),
      z.object({
        key: stepKey,
        type: z.literal('split'),
        shares: record(stepKey, z.number().min(0).max(1_000_000), { max: MAX_SHARES }).refine(
          (shares) => Object.keys(shares).length >= 2 && Object.values(shares).some((share) => share > 0),
          { error: 'must have at least 2 shares, one of them above 0' },
        ),
        next: record(stepKey, stepKey.nullable(), { max: MAX_SHARES }).nullish(),
      }),
      emailStep,
      z.object({
        key: stepKey,
        type: z.literal('update'),
        ...ownFieldsInput,
        properties: record(text({ min: 1, max: 256 }), propertyValue, { max: 100 }).nullish(),
        topics: z
          .object({
            join: z.array(someId).max(100).nullish(),
            leave: z.array(someId).max(100).nullish(),
          })
          .nullish(),
        segments: z
          .object({
            add: z.array(someId).max(100).nullish(),
            remove: z.array(someId).max(100).nullish(),
          })
          .nullish(),
        subscribed: z.literal(false).nullish(),
        next,
      }),
      z.object({
        key: stepKey,
        type: z.literal('webhook'),
        url: text({ min: 1, max: 2000 }).refine((url) => URL.canParse(url) && /^https?:\/\//i.test(url), {
          error: 'must be a URL that starts with https:// or http://',
        }),
        headers: record(
          z.string().regex(/^[A-Za-z0-9-]{1,100}$/, { error: 'must be the name of a header' }),
          z.string().regex(/^[\t\x20-\x7e]{0,1000}$/, { error: 'must be the value of a header' }),
          { max: 20 },
        ).nullish(),
        data: jsonObject({ maxBytes: 16 * 1024 }).nullish(),
        next: ways('ok', 'failed'),
      }),
      z.object({
        key: stepKey,
        type: z.literal('thread'),
        mailboxId: someId,
        draft: z.object({ subject: text({ max: 998 }).nullish(), html }).nullish(),
        assign: someId.nullish(),
        label: text({ max: 100 }).nullish(),
        note: text({ max: 10_000 }).nullish(),
        next,
      }),
      z.object({ key: stepKey, type: z.literal('goal'), event: eventOf, where: where.nullish(), next }),
      z.object({ key: stepKey, type: z.literal('exit'), reason: text({ max: 200 }).nullish() }),
    ]),
  )
  .max(MAX_STEPS);

const exitOn = z
  .array(z.union([z.enum(['replied', 'unsubscribed']), z.object({ event: eventOf, where: where.nullish() })]))
  .max(MAX_EXITS);

const settings = {
  trigger,
  steps,
  exitOn,
  reentry: z.enum(['once', 'after_end', 'always']),
  timezone: timeZone,
  holdOnAutoReply: duration,
  ratePerMinute: z.int().min(1).max(1_000_000).nullable(),
};

const definitionSchema = z.object({
  trigger: trigger.nullable(),
  steps,
  exitOn: exitOn.default(['unsubscribed']),
  reentry: settings.reentry.default('once'),
  timezone: settings.timezone.default('UTC'),
  holdOnAutoReply: settings.holdOnAutoReply.default('7 days'),
  ratePerMinute: settings.ratePerMinute.default(null),
});

const automationName = text({ min: 1, max: 200, trim: true });

export const automationInput = z.object({
  name: automationName,
  contactBookId: someId.nullish().describe('Default: the oldest book of the team'),
  trigger: trigger.nullish(),
  steps: steps.default([]),
  exitOn: exitOn.nullish(),
  reentry: settings.reentry.nullish(),
  timezone: settings.timezone.nullish(),
  holdOnAutoReply: settings.holdOnAutoReply.nullish(),
  ratePerMinute: settings.ratePerMinute.optional(),
});

export const automationUpdate = z.object({
  name: automationName.optional(),
  trigger: trigger.optional(),
  steps: steps.optional(),
  exitOn: exitOn.optional(),
  reentry: settings.reentry.optional(),
  timezone: settings.timezone.optional(),
  holdOnAutoReply: settings.holdOnAutoReply.optional(),
  ratePerMinute: settings.ratePerMinute.optional(),
  basedOn: dateTime
    .optional()
    .describe(
      'The `updatedAt` that the change is based on. If someone else has changed the automation since, the answer is 409',
    ),
});

const status = z.enum(['DRAFT', 'ACTIVE', 'CLOSED', 'PAUSED']);
const openObject = z.record(z.string(), z.unknown());

const automationFields = {
  id: z.string(),
  name: z.string(),
  status,
  contactBookId: z.string(),
  version: z.int().describe('0 before the first activation'),
  hasDraft: z.boolean().describe('Whether there are changes that are not published'),
  createdAt: timestamp,
  updatedAt: timestamp,
};

const automationSchema = z
  .object({
    ...automationFields,
    trigger: openObject.nullable(),
    steps: z.array(openObject),
    exitOn: z.array(z.union([z.string(), openObject])),
    reentry: settings.reentry,
    timezone: z.string(),
    holdOnAutoReply: z.string(),
    ratePerMinute: z.int().nullable(),
  })
  .meta({ id: 'Automation' });

export const automationAnswer = automationSchema;
export const automationParams = z.object({ automationId: pathId() });
export const automationQuery = z.object({
  ...cursorQuery,
  status: status.optional(),
  search: text({ max: 200 }).optional().describe('A part of the name'),
});
const listItem = automationSchema
  .extend({
    counts: z.object({
      started: z.int().describe('Runs ever started'),
      active: z.int().describe('Runs under way'),
      done: z.int().describe('Runs that reached the end'),
      emails: z.int().describe('Emails sent'),
    }),
  })
  .meta({ id: 'AutomationListItem' });
export const automationPage = cursorPage(listItem);
export const automationDeleted = z.object({ id: z.string(), success: z.boolean() });
export const resumeInput = z
  .object({ overdue: z.enum(['shift', 'now']).default('shift') })
  .default({ overdue: 'shift' });
export const publishInput = z
  .object({ runs: z.enum(['finish', 'move', 'end']).default('finish') })
  .default({ runs: 'finish' });

const finding = z.object({
  path: z.string().describe('A JSON pointer'),
  step: z.string().nullable(),
  message: z.string(),
});
export const automationCheck = z.object({ errors: z.array(finding), warnings: z.array(finding) });

export const webhookSecretAnswer = z.object({ secret: z.string() });

export const publishImpact = z.object({
  people: z.int().describe('Runs under way'),
  byStep: z.array(
    z.object({
      key: z.string(),
      waiting: z.int(),
      becomes: z.enum(['same', 'moved', 'ended']).describe('With `runs: move`'),
      to: z.string().nullable(),
    }),
  ),
  emailsNext24Hours: z
    .int()
    .describe(
      'Emails that leave within 24 hours, as far as delays tell. Where contacts take different ways, the way with the most emails counts',
    ),
});

export const versionPage = z.object({
  items: z.array(
    z.object({
      version: z.int(),
      isLive: z.boolean(),
      createdAt: timestamp,
      createdBy: z.string(),
      trigger: openObject.nullable(),
      steps: z.array(openObject),
    }),
  ),
});
export const versionParams = automationParams.extend({ version: z.string().regex(/^\d{1,9}$/) });

export type AutomationDefinition = z.output<typeof definitionSchema> & {
  /** The key that the trigger has in the API of another vendor. */
  triggerKey?: string;
};
export type AutomationStep = AutomationDefinition['steps'][number];
export type StepOfType<Type extends AutomationStep['type']> = Extract<AutomationStep, { type: Type }>;
export type AutomationInput = z.output<typeof automationInput>;
export type AutomationUpdate = z.output<typeof automationUpdate>;
export type Automation = z.infer<typeof automationSchema>;
export type AutomationListItem = z.infer<typeof listItem>;
export type AutomationCheck = z.infer<typeof automationCheck>;
export type Finding = z.infer<typeof finding>;
export type PublishImpact = z.infer<typeof publishImpact>;
