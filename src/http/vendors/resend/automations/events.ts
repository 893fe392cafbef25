/** Events that applications send, and the definitions of their data. The ID of a definition is its name. */
import { z } from 'zod';
import {
  deleteDefinition,
  getDefinition,
  listDefinitions,
  putDefinition,
} from '../../../../features/automations/custom-events/event-definitions.ts';
import {
  definitionInput,
  definitionParams,
  eventInput,
  type EventDefinition,
} from '../../../../features/automations/custom-events/custom-events.schema.ts';
import { sendEvent } from '../../../../features/automations/custom-events/send-events.ts';
import { AppError, conflict } from '../../../../platform/errors.ts';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import { text } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { ensureContacts } from '../audience/audience.ts';
import { listOf, listQuery, pageOf, toList, toPageRequest } from '../routing/lists.ts';
import { repeated, resendRoute } from '../routing/resend-route.ts';

const anything = z.unknown().optional();
const someText = text({ max: 1_000 });
const params = z.object({ id: text({ min: 1, max: 256 }) });
const sent = z.strictObject({
  event: someText,
  contact_id: someText.nullish(),
  email: someText.nullish(),
  payload: anything,
});
const newDefinition = z.strictObject({ name: someText, schema: anything });
const change = z.strictObject({ ...repeated('id', 'identifier'), schema: anything });

const listed = z.object({
  id: z.string(),
  name: z.string(),
  schema: z.record(z.string(), z.enum(['string', 'number', 'boolean', 'date'])).nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});
const object = 'event' as const;
const named = z.object({ object: z.literal(object), id: z.string() });

export const resendEventRoutes = [
  resendRoute({
    method: 'POST',
    path: '/events/send',
    scope: 'events.write',
    permission: 'full',
    body: sent,
    answer: z.object({ object: z.literal(object), event: z.string() }),
    async handle({ db, caller, body: { event, contact_id, email, payload } }) {
      // As at Resend, someone who is no contact yet becomes one.
      const contactBookId = email ? await ensureContacts(db, caller.teamId) : undefined;
      const input = { name: event, contactId: contact_id, email, data: payload, contactBookId };
      await sendEvent(db, caller, validate(eventInput, input));
      return { object, event };
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/events',
    scope: 'automations.write',
    permission: 'full',
    body: newDefinition,
    answer: named,
    async handle({ db, teamId, body }) {
      const { name } = validate(definitionParams, { name: body.name });
      const { schema } = validate(definitionInput, { schema: body.schema ?? {} });
      await inTransaction(db, async (trx) => {
        if (await isDefined(trx, teamId, name)) throw conflict(`The event ${name} exists already.`);
        await putDefinition(trx, teamId, name, schema);
      });
      return { object, id: name };
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/events',
    scope: 'automations.read',
    permission: 'full',
    query: listQuery,
    answer: listOf(listed),
    async handle({ db, teamId, query }) {
      const page = toPageRequest(query);
      return toList(
        pageOf(await listDefinitions(db, teamId), { ...query, limit: page.limit }, nameOf),
        present,
      );
    },
  }),
  resendRoute({
    method: 'GET',
    path: '/events/{id}',
    scope: 'automations.read',
    permission: 'full',
    params,
    answer: listed.extend({ object: z.literal(object) }),
    handle: async ({ db, teamId, params: { id } }) => ({
      object,
      ...present(await getDefinition(db, teamId, id)),
    }),
  }),
  resendRoute({
    method: 'PATCH',
    path: '/events/{id}',
    scope: 'automations.write',
    permission: 'full',
    params,
    body: change,
    answer: named,
    async handle({ db, teamId, params: { id }, body }) {
      await getDefinition(db, teamId, id);
      const { schema } = validate(definitionInput, { schema: body.schema ?? {} });
      await putDefinition(db, teamId, id, schema);
      return { object, id };
    },
  }),
  resendRoute({
    method: 'DELETE',
    path: '/events/{id}',
    scope: 'automations.write',
    permission: 'full',
    params,
    answer: named.extend({ deleted: z.boolean() }),
    async handle({ db, teamId, params: { id } }) {
      await deleteDefinition(db, teamId, id);
      return { object, id, deleted: true };
    },
  }),
];

async function isDefined(db: Db, teamId: number, name: string): Promise<boolean> {
  return getDefinition(db, teamId, name).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return false;
      throw error;
    },
  );
}

function nameOf({ name }: EventDefinition): string {
  return name;
}

function present({ name, schema, createdAt, updatedAt }: EventDefinition) {
  return {
    id: name,
    name,
    schema: Object.keys(schema).length > 0 ? schema : null,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
