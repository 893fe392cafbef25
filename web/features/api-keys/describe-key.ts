/** Says in a sentence or two what a key can do, for the person who is about to create it. */
import type { SendPolicy } from '../../../src/features/sending/policies/policies.schema.ts';
import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { LOCALE } from '../../texts/en/number.ts';
import { listOf } from '../policies/describe-policy.ts';
import { SCOPE_GROUPS, type Scope } from './scope-groups.ts';

const t = apiKeyTexts.sentence;

export interface DescribedKey {
  kind: 'application' | 'agent';
  rights: 'full' | 'sending' | 'scoped';
  scopes: readonly Scope[];
  /** Names. An empty list stands for all. */
  mailboxes: readonly string[];
  domains: readonly string[];
  books: readonly string[];
  policy: Pick<SendPolicy, 'mode'> | null;
  /** RFC 3339. */
  expiresAt: string | null;
  allowedIps: readonly string[];
}

const SENDING: readonly Scope[] = ['mail.reply', 'mail.send', 'emails.send', 'campaigns.send'];

export function describeKey(key: DescribedKey): string {
  const sentences = [
    t.join(t.can(whatOf(key) + boundsOf(key)), leavesOf(key)),
    ...(key.expiresAt === null ? [] : [t.ends(dayOf(key.expiresAt))]),
    ...(key.allowedIps.length === 0 ? [] : [t.networks(listOf(key.allowedIps))]),
  ];
  return sentences.join(' ');
}

function whatOf({ rights, scopes, mailboxes, books }: DescribedKey): string {
  if (rights === 'full')
    return mailboxes.length === 0 ? t.everything : t.inMailboxes(t.everything, listOf(mailboxes));
  if (rights === 'sending') return t.sending;
  const named = (group: readonly Scope[]) =>
    group.filter((scope) => scopes.includes(scope)).map((scope) => t.scopes[scope]);
  const { mail, contacts, ...others } = SCOPE_GROUPS;
  const parts = [
    {
      things: named(mail),
      join: (things: string) => t.inMailboxes(things, namesOr(mailboxes, t.allMailboxes)),
    },
    { things: named(contacts), join: (things: string) => t.ofBooks(things, namesOr(books, t.allBooks)) },
    { things: named(Object.values(others).flat()), join: (things: string) => things },
  ];
  return and(parts.flatMap(({ things, join }) => (things.length === 0 ? [] : join(and(things)))));
}

/** Mail is already said to be of its mailboxes. */
function boundsOf({ rights, scopes, domains }: DescribedKey): string {
  if (domains.length === 0) return '';
  const isOfMail = rights === 'scoped' && scopes.every((scope) => /^(?:mail|notes|contacts)\./.test(scope));
  return isOfMail ? '' : t.withDomains(listOf(domains));
}

function leavesOf({ kind, rights, scopes, policy }: DescribedKey): string {
  const sends = rights !== 'scoped' || scopes.some((scope) => SENDING.includes(scope));
  if (!sends) return t.leaves.nothing;
  if (policy) return t.leaves[policy.mode];
  return kind === 'agent' ? t.missing : t.leaves.anyone;
}

function namesOr(names: readonly string[], all: string): string {
  return names.length === 0 ? all : listOf(names);
}

function and(things: readonly string[]): string {
  return new Intl.ListFormat(LOCALE).format(things);
}

export function dayOf(iso: string): string {
  return new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' }).format(new Date(iso));
}
