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
} from '../../../platform/schema.ts';
import { contactEmail } from '../../audience/contacts/contacts.schema.ts';

const MAX_CONTACTS = 10_000;

const status = z.enum(['ACTIVE', 'DONE', 'EXITED', 'FAILED', 'CANCELLED']);

const runFields = {
  id: z.string(),
  automationId: z.string(),
  version: z.int(),
  contactId: z.string(),
  email: z.string().nullable().describe('Null if the contact was deleted'),
  status,
  reason: z.string().nullable().describe('Why it ended'),
  step: z.string().nullable().describe('The step that is next'),
  heldBy: z
    .string()
    .nullable()
    .describe('`quiet_hours`, `frequency_cap`, `auto_reply`, `paused`, or what someone has to mend'),
  dueAt: timestamp.nullable(),
  startedAt: timestamp,
  endedAt: timestamp.nullable(),
};

const runSchema = z.object(runFields).meta({ id: 'AutomationRun' });

const event = z.object({
  id: z.string().nullable(),
  name: z.string(),
  data: z.record(z.string(), z.unknown()),
});

export const runAnswer = z
  .object({
    ...runFields,
    event: event.nullable().describe('The event that started it'),
    history: z.array(
      z.object({
        key: z.string(),
        type: z.string(),
        version: z.int(),
        at: timestamp,
        result: z.string(),
        emailId: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'AutomationRunDetails' });

export const runQuery = z.object({
  ...cursorQuery,
  status: status.optional(),
  contactId: text({ max: 256 }).optional(),
  step: text({ max: 64 }).optional(),
});
export const runPage = cursorPage(runSchema);
export const contactRunQuery = z.object({
  ...cursorQuery,
  contactId: text({ min: 1, max: 256 }),
  status: status.optional(),
});
const contactRun = runSchema.extend({ automationName: z.string() }).meta({ id: 'ContactAutomationRun' });
export const contactRunPage = cursorPage(contactRun);
export const runParams = z.object({ runId: pathId() });

export const enrollInput = z
  .object({
    contactIds: z
      .array(text({ min: 1, max: 256 }))
      .min(1)
      .max(MAX_CONTACTS)
      .nullish(),
    segmentId: text({ min: 1, max: 256 }).nullish(),
    contactBookId: text({ min: 1, max: 256 }).nullish(),
    events: z.object({ name: text({ min: 1, max: 100 }), from: dateTime, to: dateTime }).nullish(),
    spreadMinutes: z
      .int()
      .min(0)
      .max(366 * 24 * 60)
      .nullish(),
    dryRun: z.boolean().nullish(),
  })
  .refine(
    ({ contactIds, segmentId, contactBookId, events }) =>
      [contactIds, segmentId, contactBookId, events].filter(Boolean).length === 1,
    {
      error: 'or segmentId, contactBookId or events is required, and only one of them',
      path: ['contactIds'],
    },
  );
export const enrollAnswer = z.object({ enrolled: z.int(), skipped: z.record(z.string(), z.int()) });

export const explainQuery = z.object({ email: contactEmail });
export const explainAnswer = z.object({
  email: z.string(),
  sentences: z.array(z.string()),
  runs: z.array(runSchema),
});

export const simulateInput = z
  .object({
    contactId: text({ min: 1, max: 256 }).nullish(),
    email: contactEmail.nullish(),
    event: jsonObject({ maxBytes: 16 * 1024 })
      .nullish()
      .describe('The data of the event that starts the run, or the event as runs show it: `{name, data}`'),
    assume: record(text({ min: 1, max: 64 }), text({ min: 1, max: 64 }), { max: 200 })
      .nullish()
      .describe('The way that is taken out of a step'),
    startAt: dateTime.nullish(),
  })
  .refine(({ contactId, email }) => !!contactId !== !!email, {
    error: 'or email is required, but not both',
    path: ['contactId'],
  });
export const simulateAnswer = z.object({
  path: z.array(
    z.object({
      key: z.string(),
      type: z.string(),
      at: timestamp,
      result: z.string(),
      email: z.object({ subject: z.string(), html: z.string(), text: z.string() }).nullable(),
    }),
  ),
  end: z.string(),
});

export const reportAnswer = z
  .object({
    runs: z.object({
      started: z.int(),
      active: z.int(),
      done: z.int(),
      exited: z.int(),
      failed: z.int(),
      cancelled: z.int(),
    }),
    exits: z.record(z.string(), z.int()),
    steps: z.array(
      z.object({
        key: z.string(),
        type: z.string(),
        entered: z.int(),
        waiting: z.int(),
        done: z.int(),
        skipped: z.int(),
        failed: z.int(),
        ways: z.record(z.string(), z.int()),
        email: z
          .object({
            sent: z.int(),
            delivered: z.int(),
            opened: z.int(),
            clicked: z.int(),
            replied: z.int(),
            unsubscribed: z.int(),
            bounced: z.int(),
          })
          .nullable(),
      }),
    ),
  })
  .meta({ id: 'AutomationReport' });

export type AutomationRun = z.infer<typeof runSchema>;
export type ContactRun = z.infer<typeof contactRun>;
export type AutomationRunDetails = z.infer<typeof runAnswer>;
export type EnrollInput = z.output<typeof enrollInput>;
export type SimulateInput = z.output<typeof simulateInput>;
export type Simulation = z.infer<typeof simulateAnswer>;
export type AutomationReport = z.infer<typeof reportAnswer>;
