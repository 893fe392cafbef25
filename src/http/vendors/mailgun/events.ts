import { z } from 'zod';
import {
  listEmailEvents,
  type ListedEmailEvent,
} from '../../../features/activity/email-log/list-events-by-time.ts';
import type { Caller } from '../../../features/api/caller.ts';
import type { Facts } from '../../../features/instance/facts.ts';
import { findSuppressionReasons } from '../../../features/sending/suppressions/suppressions.ts';
import { parseAddress } from '../../../mail/mime/address.ts';
import type { Db } from '../../../platform/database/database.ts';
import { presentEvent, recipientOf, shownEvent } from './event-shape.ts';
import { eventQuery, pagePath, readToken, toSearch, writeToken, type EventPage } from './event-query.ts';
import { domainPath, findPathDomain, mailgunRoute } from './mailgun-route.ts';

const eventList = z.object({
  items: z.array(shownEvent),
  paging: z.object({ next: z.string(), previous: z.string(), first: z.string(), last: z.string() }),
});

export const mailgunEventRoutes = [
  mailgunRoute({
    method: 'GET',
    path: '/{domain}/events',
    scope: 'mail.read',
    permission: 'full',
    boundKeys: 'kept-to-domain',
    params: z.object(domainPath),
    query: eventQuery,
    answer: eventList,
    handle: ({ params, query, ...request }) =>
      listPage(request, params.domain, { query, at: null, direction: 'next' }),
  }),
  mailgunRoute({
    method: 'GET',
    path: '/{domain}/events/{page}',
    scope: 'mail.read',
    permission: 'full',
    boundKeys: 'kept-to-domain',
    params: z.object({ ...domainPath, ...pagePath }),
    // The token contains the query, so parameters that a client repeats are ignored.
    query: eventQuery,
    answer: eventList,
    handle: ({ params, ...request }) => listPage(request, params.domain, readToken(params.page)),
  }),
];

interface Request {
  db: Db;
  caller: Caller;
  facts: Facts;
  throwIfDisconnected(): void;
}

async function listPage(
  { db, caller, facts, throwIfDisconnected }: Request,
  pathDomain: string,
  page: EventPage,
) {
  const { id: domainId, name } = await findPathDomain(db, caller, pathDomain);
  const { filter, order, limit } = toSearch(page.query, domainId);
  const isBackward = page.direction === 'previous';
  const opposite = order === 'asc' ? 'desc' : 'asc';
  const range = { order: isBackward ? opposite : order, after: page.at, limit } as const;
  const found = await listEmailEvents(db, caller, filter, range, throwIfDisconnected);
  const events = isBackward ? found.toReversed() : found;
  const reasons = await findSuppressionReasons(db, caller.teamId, suppressedKeys(events));
  const { query } = page;
  const urlOf = (at: EventPage['at'], direction: EventPage['direction']) =>
    `${facts.baseUrl}/v3/${name}/events/${writeToken({ query, at, direction })}`;
  return {
    items: events.map((event) => presentEvent(event, name, reasons)),
    paging: {
      // An empty page is the current end of the list. The same page may contain events later.
      next: urlOf(events.at(-1)?.position ?? (isBackward ? null : page.at), 'next'),
      previous: urlOf(events[0]?.position ?? (isBackward ? page.at : null), 'previous'),
      first: urlOf(null, 'next'),
      last: urlOf(null, 'previous'),
    },
  };
}

function suppressedKeys(events: ListedEmailEvent[]): string[] {
  return events
    .filter(({ type }) => type === 'email.suppressed')
    .flatMap((event) => parseAddress(recipientOf(event))?.key ?? []);
}
