/** The callers of routes. */
import type { Role } from './roles.ts';

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
  permission: 'full' | 'sending';
  /** Set for a key that is bound to one domain. */
  domainId: number | null;
  /** Null for a key. */
  person: Person | null;
}

/** A caller that is not signed in. */
export interface Visitor {
  ip: string;
  /** The token of the browser's device cookie. */
  device?: string | undefined;
}
