/** The callers of routes. */
import type { Role } from './roles.ts';
import type { Scope } from './scopes.ts';

/** A signed-in user. */
export interface Person {
  userId: string;
  sessionId: string;
  role: Role;
}

/** The authenticated caller: an application with an API key, or a person with a session. */
export interface Caller {
  teamId: number;
  /** The caller's name in stored records: `key_…`, or `user:usr_…` for a person. */
  by: string;
  /** What a key may do. `scoped` keys may do what their scopes allow. */
  permission: 'full' | 'sending' | 'scoped';
  scopes: readonly Scope[];
  /** The only domains and contact books (public IDs) that a key may use. Null: all. */
  domainIds: readonly number[] | null;
  contactBookIds: readonly string[] | null;
  /**
   * The UUIDs of the mailboxes that a key is limited to, or null. `all` is for work of the server itself, which reads
   * every mailbox (mailbox-access.ts).
   */
  mailboxIds: readonly string[] | null | 'all';
  /** The UUIDs of the send policies that every email of a key must pass. Empty: it sends freely. */
  policyIds: readonly string[];
  /** The role of the person who made a key. Null for other keys, which have the rights of an admin. */
  makerRole: Role | null;
  /** Null for a key. */
  person: Person | null;
  /** For the key of an application that a person has let act for them: it reaches no more of a mailbox than the person. */
  actsFor?: Pick<Person, 'userId' | 'role'> | null;
}

const UNBOUND = {
  scopes: [],
  domainIds: null,
  contactBookIds: null,
  policyIds: [],
  makerRole: null,
} as const;

/** The part of a caller that `submit` needs, for emails of the server itself. */
export const AS_SERVER = { domainIds: null, policyIds: [], by: 'server' } as const;

/** A caller with all rights of a team, for work of the server itself. */
export function ownCaller(teamId: number, by: string): Caller {
  return { teamId, by, permission: 'full', ...UNBOUND, mailboxIds: 'all', person: null };
}

export function personCaller(teamId: number, person: Person): Caller {
  return { teamId, by: `user:${person.userId}`, permission: 'full', ...UNBOUND, mailboxIds: null, person };
}

/** A caller that is not signed in. */
export interface Visitor {
  ip: string;
  /** The token of the browser's device cookie. */
  device?: string | undefined;
  /** For the audit log. */
  requestId?: string;
}
