import { z } from 'zod';
import { cursorPage, cursorQuery, plainId, text, timestamp } from '../../../platform/schema.ts';
import { actorShape } from '../activity/present-actor.ts';

export const MAX_NOTE_LENGTH = 20_000;
export const MAX_NOTES = 1_000;

const note = z
  .object({
    id: z.string(),
    thread_id: z.string(),
    author: actorShape,
    html: z.string().describe('Cleaned'),
    mentions: z.array(z.string()).describe('The IDs of the people who are mentioned'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ThreadNote' });

const html = text({ min: 1, max: MAX_NOTE_LENGTH }).describe(
  'Cleaned before it is stored. The limit also applies to the result',
);
const mentions = z.array(plainId).max(50).describe('People with access to the mailbox');

export const noteInput = z.object({ html, mentions: mentions.default([]) });
export const noteUpdate = z
  .object({ html: html.optional(), mentions: mentions.optional() })
  .refine((update) => update.html !== undefined || update.mentions !== undefined, {
    error: 'must have html, mentions or both',
  });
export const noteParams = z.object({ id: plainId });
export const noteAnswer = note;
export const notePage = cursorPage(note);
export const noteQuery = z.object(cursorQuery);
export const noteDeleted = z.object({ id: z.string(), success: z.boolean() });

export type ThreadNote = z.infer<typeof note>;
export type NoteInput = z.input<typeof noteInput>;
export type NoteUpdate = z.output<typeof noteUpdate>;
