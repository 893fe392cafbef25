/**
 * What a route is: declared once, with its shapes, who may call it, its error form and an example.
 * The HTTP door serves it, checks its input and documents it; nothing about HTTP servers is known here.
 */
import type { z } from 'zod';
import type { Db } from './database.ts';
import type { ErrorCode } from './errors.ts';
import type { Facts } from './facts.ts';

/** Who is asking. `domainId` is set for a key that is bound to one domain. */
export interface Caller {
  teamId: number;
  keyId: string;
  permission: 'full' | 'sending';
  domainId: number | null;
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
}

/** An answer that is not JSON but a file, sent piece by piece as the reader takes it. */
export class FileAnswer {
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<string>;

  constructor(contentType: string, fileName: string, chunks: AsyncIterable<string>) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.chunks = chunks;
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
  /** `sending` lets both kinds of keys in, `full` only full-access ones. */
  permission: 'full' | 'sending';
  /** Whether a key bound to one domain gets in; the handler then keeps it to that domain. Default: refused. */
  boundKeys?: 'refused' | 'kept-to-domain';
  /** Default: the object form. */
  errorForm?: 'object' | 'string';
  /** What it can answer besides what every route can (see the door's list). */
  errors?: ErrorCode[];
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
  params?: Params;
  query?: Query;
  body?: Body;
  /** The shape of the answer, or the content type of a file. */
  answer: Answer | 'text/csv';
  example: {
    params?: z.input<Params>;
    query?: z.input<Query>;
    body?: z.input<Body>;
    answer: z.input<Answer>;
  };
  handle(
    request: RouteRequest<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Answer> | FileAnswer>;
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

export type AnyRoute = Route | UploadRoute;
