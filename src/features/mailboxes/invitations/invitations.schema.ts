import { z } from 'zod';
import { MAX_EXCEPTIONS } from '../../../mail/calendar/invitation.ts';
import { plainId, text, timestamp } from '../../../platform/schema.ts';

const person = { name: z.string().nullable(), email: z.string() };

/** The field `invitation` of a message. */
export const invitation = z
  .object({
    method: z.string().describe('As in RFC 5546, for example REQUEST, CANCEL or REPLY'),
    uid: z.string(),
    sequence: z.int(),
    summary: z.string(),
    location: z.string(),
    start: timestamp.nullable(),
    end: timestamp.nullable(),
    all_day: z.boolean(),
    recurrence: z.string().nullable().describe('The RRULE of a series (RFC 5545)'),
    occurrence: timestamp
      .nullable()
      .describe('For one date of a series: when it was to begin. It can be answered by itself'),
    exceptions: z
      .array(
        z.object({
          occurrence: timestamp.describe('When the date was to begin'),
          start: timestamp.nullable(),
          end: timestamp.nullable(),
          status: z.enum(['moved', 'cancelled']),
        }),
      )
      .max(MAX_EXCEPTIONS)
      .describe('Dates of the series that the organiser has changed or cancelled, in the order of time'),
    organizer: z.object(person).nullable(),
    attendees: z.array(
      z.object({
        ...person,
        status: z.string().describe('For example accepted or needs-action'),
        optional: z.boolean(),
      }),
    ),
    status: z
      .string()
      .describe(
        'confirmed, tentative or cancelled. Later updates of the organiser show on the first message',
      ),
    answer: z.enum(['accepted', 'tentative', 'declined']).nullable().describe('What the mailbox answered'),
    trusted: z
      .boolean()
      .describe(
        'Whether the organiser sent the message. Updates and cancellations of anyone else change nothing',
      ),
  })
  .meta({ id: 'EventInvitation' });

export const invitationParams = z.object({ id: plainId });
export const invitationInput = z.object({
  answer: z.enum(['accepted', 'tentative', 'declined']),
  comment: text({ max: 2000 }).nullish(),
});

export type EventInvitation = z.infer<typeof invitation>;
export type InvitationAnswerInput = z.output<typeof invitationInput>;
