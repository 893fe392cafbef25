/** The tools that JMAP methods use, and the ways in which they fail. */
import type {
  AppPasswordCache,
  MailLogin,
} from '../../features/identity/app-passwords/app-password-cache.ts';
import type { MailboxNeed } from '../../features/api/mailbox-access.ts';
import type { Facts } from '../../features/instance/facts.ts';
import type { MailboxWatcher } from '../../features/mailboxes/email-apps/mailbox-watcher.ts';
import type { Db } from '../../platform/database/database.ts';
import type { DiskSpace } from '../../platform/disk-space.ts';
import type { Log } from '../../platform/log.ts';
import type { UnexpectedErrors } from '../../platform/telemetry/unexpected-errors.ts';
import type { RequestLimits } from './limits.ts';

export interface JmapTools {
  db: Db;
  log: Log;
  /** The log with one line for each failed login. */
  mailLog: Log;
  errors: UnexpectedErrors;
  appPasswords: AppPasswordCache;
  facts: Facts;
  disk: DiskSpace;
  watcher: MailboxWatcher;
  limits: RequestLimits;
}

/** See storage-allowance.ts. */
export interface StorageAllowance {
  /** Counts a file once as a part of the request, before it is stored. */
  addFile(blobId: string, bytes: number): void;
  /** Throws if a message with the file cannot be stored any more, without a look at the file. */
  requireFile(blobId: string): void;
  /** Call it before a message is stored. */
  spend(bytes: number): void;
}

export interface MethodContext {
  tools: JmapTools;
  login: MailLogin;
  /** The only account of the login: its mailbox. */
  accountId: string;
  /** The IDs of objects that this request has created, by the creation IDs of the client. */
  createdIds: Map<string, string>;
  allowance: StorageAllowance;
  /** Adds a response after the one of the method itself. */
  addResponse(name: string, args: Record<string, unknown>): void;
}

export type Arguments = Record<string, unknown>;

export interface Method {
  /** The capability that a request must list in `using`. */
  capability: string;
  /** The access to the mailbox that the method needs. Default: to read it. */
  needs?: MailboxNeed;
  run(context: MethodContext, args: Arguments): Promise<Arguments> | Arguments;
}

/** Thrown when the method call fails as a whole (RFC 8620 section 3.6.2). */
export class MethodError extends Error {
  readonly type: string;

  constructor(type: string, description: string) {
    super(description);
    this.type = type;
  }
}

/** The reason why one object was not created, updated or destroyed (RFC 8620 section 5.3). */
export interface SetError {
  type: string;
  description?: string;
  properties?: string[];
  [more: string]: unknown;
}

/** Thrown for one object of a /set call. */
export class ObjectError extends Error {
  readonly setError: SetError;

  constructor(type: string, description: string, more: Omit<SetError, 'type' | 'description'> = {}) {
    super(description);
    this.setError = { type, description, ...more };
  }
}

export function invalidProperties(properties: string[], description: string): ObjectError {
  return new ObjectError('invalidProperties', description, { properties });
}
