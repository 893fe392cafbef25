/** Contacts of the team, and of one segment or audience. A contact is identified by its ID or address. */
import { z } from 'zod';
import {
  createContact,
  deleteContact,
  updateContact,
} from '../../../../features/audience/contacts/contacts.ts';
import { findContact } from '../../../../features/audience/contacts/find-contact.ts';
import { listContacts } from '../../../../features/audience/contacts/list-contacts.ts';
import type { Contact } from '../../../../features/audience/contacts/contacts.schema.ts';
import { isMemberSegment, listSegmentsOf } from '../../../../features/audience/segments/member-segments.ts';
import type { Segment } from '../../../../features/audience/segments/segments.schema.ts';
import { getSegment } from '../../../../features/audience/segments/segments.ts';
import { changeContactTopics } from '../../../../features/audience/topics/change-topics.ts';
import type { Caller } from '../../../../features/api/caller.ts';
import { inTransaction, type Db } from '../../../../platform/database/database.ts';
import { notFound } from '../../../../platform/errors.ts';
import { pathId } from '../../../../platform/schema.ts';
import {
  filterOf,
  findAudience,
  findContacts,
  membershipOf,
  requireAudience,
  type Audience,
} from './audience.ts';
import {
  changedContact,
  listedContact,
  newContact,
  newContactOfAudience,
  present,
  presentListed,
  shownContact,
  toContactInput,
  toContactUpdate,
} from './contact-shape.ts';
import { listOf, listQuery, toList, toPageRequest } from '../routing/lists.ts';
import { resendRoute } from '../routing/resend-route.ts';

const named = z.object({ object: z.literal('contact'), id: z.string() });
const removed = z.object({
  object: z.literal('contact'),
  contact: z.string(),
  id: z.string(),
  deleted: z.boolean(),
});

/** Builds the routes at `/contacts`, or below a segment or audience. */
function routesAt(path: string) {
  const isOfTeam = path === '/contacts';
  const params = z.object({ contact: pathId(), audience: pathId().optional() });
  const audienceParams = z.object({ audience: pathId().optional() });
  return [
    resendRoute({
      method: 'POST',
      path,
      scope: 'contacts.write',
      permission: 'full',
      params: audienceParams,
      body: isOfTeam
        ? newContact
        : newContactOfAudience.extend({
            segments: z.undefined().optional(),
            topics: z.undefined().optional(),
          }),
      answer: named,
      handle: ({ db, caller, params, body }) => addContact(db, caller, params.audience, body),
    }),
    resendRoute({
      method: 'GET',
      path,
      scope: 'contacts.read',
      permission: 'full',
      params: audienceParams,
      query: listQuery,
      answer: listOf(listedContact),
      async handle({ db, teamId, params: { audience: id }, query }) {
        const page = toPageRequest(query);
        const audience = id === undefined ? null : await findAudience(db, teamId, id);
        const bookId = audience?.bookId ?? (await findContacts(db, teamId));
        if (bookId === null) return toList({ items: [], next_cursor: null }, presentListed);
        const filter = audience ? filterOf(audience) : undefined;
        return toList(await listContacts(db, teamId, bookId, { ...page, filter }), presentListed);
      },
    }),
    resendRoute({
      method: 'GET',
      path: `${path}/{contact}`,
      scope: 'contacts.read',
      permission: 'full',
      params,
      answer: shownContact,
      handle: async ({ db, teamId, params }) => present((await findNamed(db, teamId, params)).contact),
    }),
    resendRoute({
      method: 'PATCH',
      path: `${path}/{contact}`,
      scope: 'contacts.write',
      permission: 'full',
      params,
      body: changedContact,
      answer: named,
      async handle({ db, caller: { teamId, by }, params, body }) {
        const update = toContactUpdate(body);
        const { contact } = await findNamed(db, teamId, params);
        await updateContact(db, teamId, contact.contactBookId, contact.id, update, by);
        return { object: 'contact' as const, id: contact.id };
      },
    }),
    resendRoute({
      method: 'DELETE',
      path: `${path}/{contact}`,
      scope: 'contacts.write',
      permission: 'full',
      params,
      answer: removed,
      async handle({ db, caller, params }) {
        const { contact, audience } = await findNamed(db, caller.teamId, params);
        await removeContact(db, caller, contact, audience?.segment ?? null);
        return { object: 'contact' as const, contact: contact.id, id: contact.id, deleted: true };
      },
    }),
  ];
}

export const resendContactRoutes = [
  '/contacts',
  '/audiences/{audience}/contacts',
  '/segments/{audience}/contacts',
].flatMap(routesAt);

async function findNamed(
  db: Db,
  teamId: number,
  { contact: name, audience: audienceId }: { contact: string; audience?: string | undefined },
): Promise<{ contact: Contact; audience: Audience | null }> {
  const audience = audienceId === undefined ? null : await findAudience(db, teamId, audienceId);
  const contact = await findContact(db, teamId, name, audience?.bookId);
  const segment = audience?.segment;
  if (segment && isMemberSegment(segment) && contact.properties[segment.id] !== true)
    throw notFound('Contact');
  return { contact, audience };
}

async function addContact(
  db: Db,
  { teamId, by }: Caller,
  audienceId: string | undefined,
  { segments, topics, ...fields }: z.output<typeof newContact>,
): Promise<z.output<typeof named>> {
  const input = toContactInput(fields);
  return inTransaction(db, async (trx) => {
    const chosen = await Promise.all((segments ?? []).map(({ id }) => getSegment(trx, teamId, id)));
    const audience = await requireAudience(trx, teamId, audienceId ?? chosen[0]?.id);
    const joined = audienceId !== undefined && audience.segment ? [audience.segment] : chosen;
    const properties = { ...input.properties, ...membershipOf(joined, audience.bookId) };
    const id = await createContact(trx, teamId, audience.bookId, { ...input, properties }, by);
    const choices = (topics ?? []).map((topic) => ({
      id: topic.id,
      subscribed: topic.subscription === 'opt_in',
    }));
    if (choices.length > 0) await changeContactTopics(trx, teamId, audience.bookId, id, choices, by);
    return { object: 'contact' as const, id };
  });
}

/** A contact that is also in another segment only leaves this one. */
async function removeContact(
  db: Db,
  { teamId, by }: Caller,
  { id, contactBookId, properties }: Contact,
  segment: Segment | null,
): Promise<void> {
  const segments = segment ? await listSegmentsOf(db, teamId, properties) : [];
  if (segment && segments.some((other) => other.id !== segment.id))
    await updateContact(db, teamId, contactBookId, id, { properties: { [segment.id]: null } }, by);
  else await deleteContact(db, teamId, contactBookId, id);
}
