/**
 * What a route is: declared once, with its shapes, who may call it, its error form and an example.
 * The HTTP door serves it, checks its input and documents it; nothing about HTTP servers is known here.
 */
import type { z } from 'zod';
import type { Db } from './database.ts';
import type { ErrorCode } from './errors.ts';
import type { Facts, LimitedNoun } from './facts.ts';

/** The most rights first. */
export const ROLES = ['owner', 'admin', 'member'] as const;
export type Role = (typeof ROLES)[number];

/** Someone who is signed in. */
export interface Person {
  userId: string;
  sessionId: string;
  role: Role;
}

/** Who is asking: a program with a key, or a person with a session. */
export interface Caller {
  teamId: number;
  /** Who did it, for the record: `key_…`, or `user:usr_…` for a person. */
  by: string;
  permission: 'full' | 'sending';
  /** Set for a key that is bound to one domain. */
  domainId: number | null;
  /** Null for a key. */
  person: Person | null;
}

/** Someone of whom nothing is known but where they come from. */
export interface Visitor {
  ip: string;
}

export interface RouteRequest<Params, Query, Body> {
  /** The pool, or the transaction that also keeps the answer when the request has an Idempotency-Key. */
  db: Db;
  teamId: number;
  caller: Caller;
  facts: Facts;
  params: Params;
  query: Query;
  body: Body;
  /** A header of the request, by its name in lower case. */
  header(name: string): string | undefined;
  /** Throws once the client has closed the connection: long work that nobody waits for ends there. */
  refuseGone(): void;
}

/** What an answer is that is not JSON. */
type FileType = 'text/csv' | 'message/rfc822' | 'application/octet-stream' | 'text/event-stream';

/** An answer that is not JSON but a file, sent piece by piece as the reader takes it. */
export class FileAnswer {
  readonly contentType: string;
  /** Null for a stream that is read and not kept. */
  readonly fileName: string | null;
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** Whether a browser may show it, or only save it. */
  readonly shownAs: 'attachment' | 'inline';

  constructor(
    contentType: string,
    fileName: string | null,
    chunks: AsyncIterable<string | Uint8Array>,
    shownAs: 'attachment' | 'inline' = 'attachment',
  ) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.chunks = chunks;
    this.shownAs = shownAs;
  }
}

/** What becomes of the session that the browser keeps: a new one, the same (as it was, or in another team), or none. */
type SessionChange = { kind: 'begin'; token: string } | { kind: 'renew' | 'move' | 'end' };

/** An answer that also changes the session of whoever asked. */
export class SessionAnswer<Answer = unknown> {
  readonly answer: Answer;
  readonly change: SessionChange;

  constructor(answer: Answer, change: SessionChange) {
    this.answer = answer;
    this.change = change;
  }
}

interface RouteBase {
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api, with parameters in braces: `/v1/contactBooks/{contactBookId}`. */
  path: string;
  /** The heading it stands under in the documentation. */
  group: string;
  summary: string;
  description?: string;
  /**
   * `sending` lets both kinds of keys in, `full` only full-access ones; people may do both. `person` is for someone
   * who is signed in and no key, `anyone` for those who are not yet (see OpenRoute).
   */
  permission: 'full' | 'sending' | 'person' | 'anyone';
  /**
   * The least role of a person who may do this; those above it may too. A key has the rights of an admin. Not there
   * where nobody is signed in yet. docs/roles.md is generated from these.
   */
  role?: Role;
  /** Whether a key bound to one domain gets in; the handler then keeps it to that domain. Default: refused. */
  boundKeys?: 'refused' | 'kept-to-domain';
  /** What it makes one of: the door holds the team to its limit of these (TEAM_LIMITS). */
  creates?: LimitedNoun;
  /** Default: the object form. */
  errorForm?: 'object' | 'string';
  /** What it can answer besides what every route can (see the door's list). */
  errors?: readonly ErrorCode[];
  /**
   * It may occupy a database connection for a second or more, because it writes many rows or makes a large letter. Few
   * of each kind run at once, and fewer of one team, so that others find a connection; one whose client has gone is not
   * begun. Without this, a request with a large body counts as `letters`.
   */
  heavy?: 'rows' | 'letters';
  /** Default 2 MiB. */
  bodyLimitBytes?: number;
  /** An over-long body is TOO_LARGE, except on the few endpoints whose errors are a closed list. */
  tooLargeAs?: 'TOO_LARGE' | 'BAD_REQUEST';
}

export interface Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> extends RouteBase {
  permission: 'full' | 'sending' | 'person';
  role: Role;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The shape of the answer, or the content type of a file. */
  answer: Answer | FileType;
  example: {
    params?: z.input<Params>;
    query?: z.input<Query>;
    body?: z.input<Body>;
    answer: z.input<Answer>;
  };
  handle(
    request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Answer> | FileAnswer | SessionAnswer<z.input<Answer>>>;
}

/** Declares a route; only there to infer the types of its handler from its shapes. */
export function route<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
>(declaration: Route<Params, Query, Body, Answer>): Route {
  return declaration;
}

/**
 * A route whose body is not JSON but a stream that may be far larger than memory. The body is taken in
 * first (`receive`, outside any transaction), then `handle` finishes the work with what was received.
 */
export interface UploadRoute<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Received = unknown,
  Answer extends z.ZodType = z.ZodType,
> extends RouteBase {
  permission: 'full' | 'sending';
  role: Role;
  /** `alsoTaken` are other names that callers have for the same type; no name at all is taken too. */
  upload: { contentType: string; alsoTaken?: string[]; example: string };
  params?: Params;
  query?: Query;
  answer: Answer;
  example: { params?: z.input<Params>; query?: z.input<Query>; answer: z.input<Answer> };
  receive(request: RouteRequest<z.output<Params>, z.output<Query>, AsyncIterable<Buffer>>): Promise<Received>;
  handle(request: RouteRequest<z.output<Params>, z.output<Query>, Received>): Promise<z.input<Answer>>;
}

export function uploadRoute<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Received,
  Answer extends z.ZodType,
>(declaration: UploadRoute<Params, Query, Received, Answer>): UploadRoute {
  return declaration;
}

/** A route for those who are not signed in: there is no team, and so no Idempotency-Key and no rate limit of one. */
export interface OpenRoute<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> extends RouteBase {
  permission: 'anyone';
  role?: undefined;
  params?: undefined;
  query?: Query;
  body?: Body;
  answer: Answer;
  example: {
    params?: undefined;
    query?: z.input<Query>;
    body?: z.input<Body>;
    answer: z.input<Answer>;
  };
  handle(request: {
    db: Db;
    facts: Facts;
    visitor: Visitor;
    query: z.output<Query>;
    body: z.output<Body>;
  }): Promise<z.input<Answer> | SessionAnswer<z.input<Answer>>>;
}

export function openRoute<Query extends z.ZodType, Body extends z.ZodType, Answer extends z.ZodType>(
  declaration: OpenRoute<Query, Body, Answer>,
): OpenRoute {
  return declaration;
}

/** A route that knows its caller. */
export type CalledRoute = Route | UploadRoute;
export type AnyRoute = CalledRoute | OpenRoute;

/** Answers are kept for a team: where it is about one person's own account there is no such key. */
export function takesIdempotencyKey({ method, permission }: AnyRoute): boolean {
  const isWrite = method !== 'GET' && method !== 'DELETE';
  return isWrite && (permission === 'full' || permission === 'sending');
}

/** The roles that may call this route, the most rights first. */
export function rolesOf({ role }: { role: Role }): Role[] {
  return ROLES.slice(0, ROLES.indexOf(role) + 1);
}

/** `owners and admins`. */
export function nameRoles(roles: Role[]): string {
  return roles.map((role) => `${role}s`).join(' and ');
}
