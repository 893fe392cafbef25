/** The labels of an inbox and of its threads. */
import { z } from 'zod';
import {
  createLabel,
  deleteLabel,
  listLabels,
  updateLabel,
} from '../../../../features/mailboxes/labels/labels.ts';
import { labelInput, labelUpdate } from '../../../../features/mailboxes/labels/labels.schema.ts';
import { labelThread, setThreadLabels } from '../../../../features/mailboxes/labels/label-thread.ts';
import type { Caller } from '../../../../features/api/caller.ts';
import type { Db } from '../../../../platform/database/database.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { readFields } from '../../mapping/read-fields.ts';
import { repeated, resendRoute } from '../routing/resend-route.ts';
import { findInboxId, findInboxThread, kept, threadParams } from './inboxes.ts';
import { labelsOf, presentLabels, type ShownLabel } from './shown-labels.ts';

const MAX_AT_ONCE = 10;

const named = z.object({ object: z.literal('inbox_label'), id: z.string() });
const shownLabel = z.object({ id: z.string(), name: z.string(), color: z.string() });
const listOfThread = z.object({ object: z.literal('list'), data: z.array(shownLabel) });
const anything = z.unknown().optional();
const inboxParams = z.object({ inbox: pathId() });
const labelParams = inboxParams.extend({ label: pathId() });
const ids = (least: number) =>
  z
    .array(text({ min: 1, max: 100 }))
    .min(least)
    .max(MAX_AT_ONCE);

const LABELS = '/inboxes/{inbox}/labels';
const OF_THREAD = '/inboxes/{inbox}/threads/{thread}/labels';

export const resendLabelRoutes = [
  resendRoute({
    method: 'GET',
    path: LABELS,
    scope: 'mail.read',
    ...kept,
    params: inboxParams,
    answer: z.object({
      object: z.literal('list'),
      data: z.array(shownLabel.extend({ created_at: z.string() })),
    }),
    async handle({ db, caller, params: { inbox } }) {
      const labels = await listLabels(db, caller, await findInboxId(db, caller, inbox));
      const data = labels.map(({ id, name, color, created_at }) => ({ id, name, color, created_at }));
      return { object: 'list' as const, data };
    },
  }),
  resendRoute({
    method: 'POST',
    path: LABELS,
    scope: 'mail.labels',
    ...kept,
    params: inboxParams,
    body: z.strictObject({ name: anything, color: anything }),
    answer: named,
    async handle({ db, caller, facts, params: { inbox }, body }) {
      const input = readFields(labelInput, body, {});
      const { id } = await createLabel(db, caller, await findInboxId(db, caller, inbox), input);
      facts.hintMail();
      return { object: 'inbox_label' as const, id };
    },
  }),
  resendRoute({
    method: 'PATCH',
    path: `${LABELS}/{label}`,
    scope: 'mail.labels',
    ...kept,
    params: labelParams,
    body: z.strictObject({ ...repeated('label_id'), name: anything, color: anything }),
    answer: named,
    async handle({ db, caller, facts, params: { inbox, label }, body: { name, color } }) {
      const mailboxId = await findInboxId(db, caller, inbox);
      const update = readFields(labelUpdate, { name, color }, {});
      const { id } = await updateLabel(db, caller, { mailboxId, labelId: label }, update);
      facts.hintMail();
      return { object: 'inbox_label' as const, id };
    },
  }),
  resendRoute({
    method: 'DELETE',
    path: `${LABELS}/{label}`,
    scope: 'mail.labels',
    ...kept,
    params: labelParams,
    answer: named.extend({ deleted: z.boolean() }),
    async handle({ db, caller, facts, params: { inbox, label: id } }) {
      await deleteLabel(db, caller, await findInboxId(db, caller, inbox), id);
      facts.hintMail();
      return { object: 'inbox_label' as const, id, deleted: true };
    },
  }),
  resendRoute({
    method: 'POST',
    path: OF_THREAD,
    scope: 'mail.labels',
    ...kept,
    params: threadParams,
    body: z.strictObject({ labels: ids(1) }),
    answer: listOfThread,
    async handle({ db, caller, facts, params, body: { labels } }) {
      const { id } = await findInboxThread(db, caller, params);
      await labelThread(db, caller, id, { add: labels });
      facts.hintMail();
      return listThreadLabels(db, caller, params);
    },
  }),
  resendRoute({
    method: 'PUT',
    path: OF_THREAD,
    scope: 'mail.labels',
    ...kept,
    params: threadParams,
    body: z.strictObject({ labels: ids(0) }),
    answer: listOfThread,
    async handle({ db, caller, facts, params, body: { labels } }) {
      const { id } = await findInboxThread(db, caller, params);
      await setThreadLabels(db, caller, id, labels);
      facts.hintMail();
      return listThreadLabels(db, caller, params);
    },
  }),
  resendRoute({
    method: 'DELETE',
    path: `${OF_THREAD}/{label}`,
    scope: 'mail.labels',
    ...kept,
    params: threadParams.extend({ label: pathId() }),
    answer: listOfThread,
    async handle({ db, caller, facts, params }) {
      const { id } = await findInboxThread(db, caller, params);
      await labelThread(db, caller, id, { remove: [params.label] });
      facts.hintMail();
      return listThreadLabels(db, caller, params);
    },
  }),
];

async function listThreadLabels(
  db: Db,
  caller: Caller,
  params: z.output<typeof threadParams>,
): Promise<{ object: 'list'; data: ShownLabel[] }> {
  const { messages, mailbox_id } = await findInboxThread(db, caller, params);
  const keywords = [...new Set(messages.flatMap(({ labels }) => labels))].toSorted();
  return { object: 'list', data: presentLabels(await labelsOf(db, caller, mailbox_id), keywords) };
}
