/** Finds contacts, emails, campaigns, automations, threads, templates, segments and forms for the command palette. */
import type { Contact } from '../../src/features/audience/contacts/contacts.schema.ts';
import { fullName } from '../../src/features/audience/own-fields/full-name.ts';
import { useQuery } from '@tanstack/react-query';
import {
  AtSign,
  Filter,
  LayoutTemplate,
  Mail,
  Megaphone,
  SquarePen,
  UserRound,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { useEffect, useState } from 'react';
import { getJson } from '../api/client.ts';
import { getAll, type CursorPage } from '../api/pages.ts';
import { lastMailbox } from './last-mailbox.ts';
import { texts } from '../texts/en.ts';
import { emailTexts } from '../texts/en/emails.ts';

const t = texts.shell;
const TYPING_PAUSE_MS = 200;
const MIN_LENGTH = 2;
const MOST_OF_KIND = 4;
/** A page of search results may be empty and still have a next page. */
const MAX_PAGES = 20;
/** Each mailbox needs a request of its own. */
const MAX_MAILBOXES = 30;

export interface Found {
  to: string;
  name: string;
  note?: string;
  kind: string;
  icon: LucideIcon;
}

interface PaletteSearch {
  found: Found[];
  isSearching: boolean;
  /** The reason why nothing could be searched, or null. */
  error: Error | null;
}

/** Searches when typing pauses. The previous search is cancelled. */
export function usePaletteSearch(text: string): PaletteSearch {
  const wanted = text.trim();
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(wanted), TYPING_PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [wanted]);
  const isLong = wanted.length >= MIN_LENGTH;
  const query = useQuery({
    queryKey: ['palette', settled],
    queryFn: ({ signal }) => findAll(settled, signal),
    enabled: settled.length >= MIN_LENGTH,
  });
  const isCurrent = isLong && settled === wanted;
  return {
    found: isCurrent ? (query.data ?? []) : [],
    isSearching: isLong && (settled !== wanted || query.isFetching),
    error: isCurrent ? query.error : null,
  };
}

/** If a part fails, its results are left out. Throws if all parts fail. */
async function findAll(search: string, signal: AbortSignal): Promise<Found[]> {
  const searches = [findContacts, findCampaigns, findAutomations, findThreads, findEmails, findNamed];
  const results = await Promise.allSettled(searches.map((find) => find(search, signal)));
  signal.throwIfAborted();
  const failed = results.filter((result) => result.status === 'rejected');
  if (failed.length === searches.length) throw failed[0]!.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

async function findContacts(search: string, signal: AbortSignal): Promise<Found[]> {
  const items = await firstMatches<Contact>('/contacts', { search }, signal);
  return items.map((contact) => ({
    to: `/contact-books/${contact.contactBookId}/contacts/${contact.id}`,
    name: contact.email,
    note: fullName(contact),
    kind: t.kinds.contact,
    icon: UserRound,
  }));
}

async function findEmails(search: string, signal: AbortSignal): Promise<Found[]> {
  const items = await firstMatches<{ id: string; subject: string; to: string[] }>(
    '/emails',
    { search, undone: 'false' },
    signal,
  );
  return items.map(({ id, subject, to }) => ({
    to: `/emails/${id}`,
    name: subject || emailTexts.noSubject,
    note: to[0],
    kind: t.kinds.email,
    icon: AtSign,
  }));
}

async function findCampaigns(search: string, signal: AbortSignal): Promise<Found[]> {
  const { campaigns } = await getJson<{ campaigns: { id: string; name: string }[] }>(
    '/campaigns',
    { search, page: 1 },
    signal,
  );
  return campaigns.slice(0, MOST_OF_KIND).map(({ id, name }) => ({
    to: `/campaigns/${id}`,
    name,
    kind: t.kinds.campaign,
    icon: Megaphone,
  }));
}

async function findAutomations(search: string, signal: AbortSignal): Promise<Found[]> {
  const items = await firstMatches<{ id: string; name: string }>('/automations', { search }, signal);
  return items.map(({ id, name }) => ({
    to: `/automations/${id}`,
    name,
    kind: t.kinds.automation,
    icon: Workflow,
  }));
}

interface FoundThread {
  id: string;
  mailbox_id: string;
  subject: string;
  snippet: string;
  folder: string;
  last_message_at: string;
}

/** Searches all mailboxes that the user may read, newest first. */
async function findThreads(search: string, signal: AbortSignal): Promise<Found[]> {
  const mailboxes = await getAll<{ id: string }>('/mailboxes');
  const last = lastMailbox();
  const order = mailboxes.map(({ id }) => id).toSorted((a, b) => Number(b === last) - Number(a === last));
  const inMailbox = (id: string) =>
    getJson<CursorPage<FoundThread>>(`/mailboxes/${id}/threads`, { q: search, limit: MOST_OF_KIND }, signal);
  const pages = await Promise.allSettled(order.slice(0, MAX_MAILBOXES).map(inMailbox));
  return pages
    .flatMap((page) => (page.status === 'fulfilled' ? page.value.items : []))
    .toSorted((a, b) => b.last_message_at.localeCompare(a.last_message_at))
    .slice(0, MOST_OF_KIND)
    .map(({ id, mailbox_id: mailbox, subject, snippet, folder }) => ({
      to: `/mail/${mailbox}/${folder}/${id}`,
      name: subject || emailTexts.noSubject,
      note: snippet,
      kind: t.kinds.thread,
      icon: Mail,
    }));
}

/** Items of which a team has few. They are found by their names. */
const NAMED = [
  { path: '/templates', kind: t.kinds.template, icon: LayoutTemplate },
  { path: '/segments', kind: t.kinds.segment, icon: Filter },
  { path: '/forms', kind: t.kinds.form, icon: SquarePen },
];

async function findNamed(search: string): Promise<Found[]> {
  const lists = NAMED.map(async ({ path, kind, icon }) => {
    const things = await getAll<{ id: string; name: string }>(path);
    return things
      .filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()))
      .slice(0, MOST_OF_KIND)
      .map(({ id, name }) => ({ to: `${path}/${id}`, name, kind, icon }));
  });
  return (await Promise.all(lists)).flat();
}

async function firstMatches<Item>(
  path: string,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<Item[]> {
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer: CursorPage<Item> = await getJson(path, { ...query, limit: MOST_OF_KIND, cursor }, signal);
    if (answer.items.length > 0 || answer.next_cursor === null) return answer.items;
    cursor = answer.next_cursor;
  }
  return [];
}
