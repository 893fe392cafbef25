/**
 * Declarations of routes. A route names its input and output shapes, the permission it needs, its error form and an
 * example. `src/http` serves the route, validates its input and documents it from this declaration.
 */
import type { z } from 'zod';
import type { Db } from '../../platform/database/database.ts';
import type { AppError, ErrorCode } from '../../platform/errors.ts';
import type { Facts, LimitedNoun } from '../instance/facts.ts';
import type { Caller, Visitor } from './caller.ts';
import type { Role } from './roles.ts';
import type { RouteScope } from './scopes.ts';

export interface RouteRequest<Params, Query, Body> {
  /** The pool, or, when the request has an Idempotency-Key, the transaction that also stores the response. */
  db: Db;
  teamId: number;
  caller: Caller;
  facts: Facts;
  params: Params;
  query: Query;
  body: Body;
  /** Returns a request header. The name must be in lower case. */
  header(name: string): string | undefined;
  /** Throws once the client has closed the connection, so that long work can stop early. */
  throwIfDisconnected(): void;
}

/** The content types of responses other than JSON. */
type FileType =
  | 'text/csv'
  | 'message/rfc822'
  | 'application/octet-stream'
  | 'application/x-apple-aspen-config'
  | 'text/event-stream'
  | 'application/x-ndjson';

/** A response that is a file instead of JSON. It is streamed at the client's pace. */
export class FileAnswer {
  readonly contentType: string;
  /** Null for a stream that is not meant to be saved. */
  readonly fileName: string | null;
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** `inline` lets a browser show the file, `attachment` makes it save the file. */
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

/** A file in a request: the body itself, or the only file of a form. */
export interface ReceivedFile {
  content: Buffer;
  /** The name in the form. Null if there is none. */
  filename: string | null;
}

/**
 * The change to the session cookie: `begin` sets a new session, `renew` extends the current one, `move` is sent when
 * the session changes its team, `end` removes the cookie, `remember` leaves it alone. `begin` and `remember` also set
 * the cookie by which the browser is known.
 */
type SessionChange =
  | { kind: 'begin'; token: string; device: string }
  | { kind: 'remember'; device: string }
  | { kind: 'renew' | 'move' | 'end' };

/** A response that also changes the caller's session. */
export class SessionAnswer<Answer = unknown> {
  readonly answer: Answer;
  readonly change: SessionChange;

  constructor(answer: Answer, change: SessionChange) {
    this.answer = answer;
    this.change = change;
  }
}

/** Without a body the response is empty. */
export interface OtherResponse {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The two error formats of our own API, or a function that builds the error response of another vendor's API. */
export type ErrorForm =
  'object' | 'string' | ((error: AppError, header: (name: string) => string | undefined) => VendorError);

interface VendorError {
  status: number;
  body: unknown;
  /** The WWW-Authenticate header of a 401. Default: Bearer. */
  challenge?: string;
}

interface RouteBase {
  operationId: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below /api, with parameters in braces: `/v1/contactBooks/{contactBookId}`. */
  path: string;
  /** The scope that an API key with scopes needs. docs/roles.md and `x-scope` in the OpenAPI document show it. */
  scope: RouteScope;
  /** The heading of the route in the documentation. */
  group: string;
  summary: string;
  description?: string;
  /**
   * `sending` allows both kinds of API keys, `full` only full-access keys; signed-in people may call both. `person`
   * allows signed-in people and no keys. `anyone` needs no authentication (see OpenRoute).
   */
  permission: 'full' | 'sending' | 'person' | 'anyone';
  /**
   * The lowest role that may call the route. An API key has the rights of an admin. Routes for `anyone` have no role.
   * docs/roles.md is generated from this field.
   */
  role?: Role;
  /**
   * Which API keys that are bound may call the route. With `kept-to-domain` the handler must restrict the call to the
   * domains of the key. With `kept-to-book`, to its contact books: a parameter `contactBookId` is checked before the
   * handler runs. Default: refused.
   */
  boundKeys?: 'refused' | 'kept-to-domain' | 'kept-to-book';
  /**
   * Whether an API key that is limited to mailboxes may call the route. The handler must find mailboxes, and what is in
   * them, through mailbox-access.ts. Default: refused.
   */
  mailboxKeys?: 'kept-to-mailboxes';
  /** The kind of object that the route creates. Its number in a team is limited (TEAM_LIMITS). */
  creates?: LimitedNoun;
  /** Default: the object form. */
  errorForm?: ErrorForm;
  /** Reads the API key, if it is not in `Authorization: Bearer`. Such a route accepts no session. */
  readKey?(header: (name: string) => string | undefined): string | undefined;
  /** Errors that the route can return in addition to those of every route. */
  errors?: readonly ErrorCode[];
  /**
   * Set when the route may use a database connection for a second or more, because it writes many rows, composes
   * large messages, or reads as much as a segment of millions of contacts needs. Only a few requests of each kind run at a time, and fewer per team, so that other requests still
   * get a connection. A request whose client has disconnected is not started. Without this field, a request with a
   * large body counts as `messages`.
   */
  heavy?: 'rows' | 'messages' | 'reads';
  /**
   * The route only reads, and `db` may be the standby of DATABASE_READ_URL. This is for lists, searches and statistics,
   * which read much. The standby has everything that was committed before the request arrived.
   */
  readsReplica?: true;
  /**
   * The route stores nothing, or little, and works while the disk is full: it reads, stops something, or makes space.
   * Routes with GET and DELETE always do.
   */
  storesLittle?: true;
  /** The body may also be a form. `body` then gets a Form (src/http/requests/read-form.ts). */
  takesForms?: boolean;
  /**
   * The body may also be plain text with one of these content types. It then counts as an object with this one field.
   */
  takesText?: { contentTypes: readonly string[]; field: string };
  /** Fields in snake_case are read as the fields of `body` that they name, and the response has a Warning header. */
  takesSnakeCase?: true;
  /**
   * The body is a file instead of JSON: its bytes with one of these content types, or a form with one file. `body` gets
   * a ReceivedFile. `alsoTaken` is accepted but not documented, except application/octet-stream, which is documented
   * instead of the others. A missing content type is accepted as well.
   */
  takesFile?: {
    contentTypes: readonly string[];
    alsoTaken?: readonly (string | RegExp)[];
    maxBytes: number;
    /** The name of a file. */
    example: string;
  };
  /** Default 2 MiB. */
  bodyLimitBytes?: number;
  /** The error for an oversized body. BAD_REQUEST is for the few endpoints whose error codes the contract fixes. */
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
  /** The shape of the JSON response, or the content type of a file. */
  answer: Answer | FileType;
  example: {
    params?: z.input<Params>;
    query?: z.input<Query>;
    body?: z.input<Body>;
    answer: z.input<Answer>;
  };
  /**
   * Runs before a transaction is open, for work that waits for other servers, such as fetching a file. The handler gets
   * the body that it returns.
   */
  prepare?(request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<z.output<Body>>;
  handle(
    request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Answer> | FileAnswer | SessionAnswer<z.input<Answer>>>;
  /**
   * Builds the response from the answer, if it is not 200 with the answer as JSON. A repeated request with an
   * Idempotency-Key gets the same response, because this is also called with the stored answer.
   */
  respond?(answer: z.input<Answer>): OtherResponse;
}

/** Declares a route. The function only infers the handler's types from the shapes. */
export function route<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
>(declaration: Route<Params, Query, Body, Answer>): Route {
  return declaration;
}

/**
 * A route whose body is a stream that may be far larger than memory. `receive` reads the body first, outside any
 * transaction; `handle` then finishes the work with the result.
 */
export interface UploadRoute<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Received = unknown,
  Answer extends z.ZodType = z.ZodType,
> extends RouteBase {
  permission: 'full' | 'sending';
  role: Role;
  /** `alsoTaken` lists other accepted content types. A missing Content-Type header is accepted as well. */
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

/** A route for callers that are not signed in. There is no team, so no Idempotency-Key and no rate limit per team. */
export interface OpenRoute<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> extends RouteBase {
  permission: 'anyone';
  scope: 'none';
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

/** A route whose caller is authenticated. */
export type CalledRoute = Route | UploadRoute;
export type AnyRoute = CalledRoute | OpenRoute;

/** Stored responses belong to a team, so routes about a person's own account take no Idempotency-Key. */
export function takesIdempotencyKey({ method, permission }: AnyRoute): boolean {
  const isWrite = method !== 'GET' && method !== 'DELETE';
  return isWrite && (permission === 'full' || permission === 'sending');
}
