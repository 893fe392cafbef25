/** What Resend's agent of an inbox is told. Posthorn runs no model: assistants that are connected by MCP read it. */
import { z } from 'zod';
import {
  ASSISTANT_ACTIONS,
  ASSISTANT_TONES,
  type Assistant,
} from '../../../../features/mailboxes/mailboxes/mailboxes.schema.ts';
import { getMailbox, updateMailbox } from '../../../../features/mailboxes/mailboxes/mailboxes.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { repeated, resendRoute } from '../routing/resend-route.ts';
import { findInboxId, kept } from './inboxes.ts';

const AGENT = { path: '/inboxes/{inbox}/agent', ...kept, params: z.object({ inbox: pathId() }) } as const;
const object = z.literal('inbox_agent');
const instructions = text({ max: 4000 }).nullable();
const tone = z.enum(ASSISTANT_TONES).nullable();
const actions = z.array(z.enum(ASSISTANT_ACTIONS)).max(ASSISTANT_ACTIONS.length);
const NOTHING: Assistant = { instructions: null, tone: null, actions: [] };

export const resendAgentRoutes = [
  resendRoute({
    ...AGENT,
    method: 'GET',
    scope: 'mail.read',
    answer: z.object({ object, instructions, tone, actions }),
    async handle({ db, caller, params: { inbox } }) {
      const { assistant } = await getMailbox(db, caller, await findInboxId(db, caller, inbox));
      return { object: 'inbox_agent' as const, ...(assistant ?? NOTHING) };
    },
  }),
  resendRoute({
    ...AGENT,
    method: 'PATCH',
    scope: 'none',
    body: z.strictObject({
      ...repeated('id', 'inbox_id'),
      instructions: instructions.optional(),
      tone: tone.optional(),
      actions: actions.optional(),
    }),
    answer: z.object({ object, id: z.string() }),
    async handle({ db, caller, params: { inbox }, body }) {
      const before = await getMailbox(db, caller, await findInboxId(db, caller, inbox));
      const { instructions, tone, actions } = before.assistant ?? NOTHING;
      const { id } = await updateMailbox(db, caller, before.id, {
        assistant: {
          instructions: body.instructions === undefined ? instructions : body.instructions,
          tone: body.tone === undefined ? tone : body.tone,
          actions: body.actions ?? actions,
        },
      });
      return { object: 'inbox_agent' as const, id };
    },
  }),
];
