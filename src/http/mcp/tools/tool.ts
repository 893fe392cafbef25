/** A tool of the MCP door: what a model sees of it, the operations of the API that it calls, and how it shows the result. */
import type { z } from 'zod';
import type { Fence } from './fence.ts';

export interface RouteInput {
  params?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Null or absent: the call may be repeated with another effect. */
  idempotencyKey?: string | undefined;
}

/** Calls operations of the API as the caller, with all checks of their routes. */
export interface Calls {
  call<Answer = Record<string, unknown>>(operationId: string, input?: RouteInput): Promise<Answer>;
  /** For an operation whose response is a file. */
  read(operationId: string, input: RouteInput, maxBytes: number): Promise<Buffer>;
}

/** What clients may show or ask before they call the tool. */
interface Hints {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

export const READS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** For tools that show what people outside have written. */
export const READS_OUTSIDE: Hints = { ...READS, openWorldHint: true };
/** Changes that can be taken back. */
export const CHANGES: Hints = { ...READS, readOnlyHint: false };
export const ADDS: Hints = { ...CHANGES, idempotentHint: false };
/** What has been sent cannot be taken back. */
export const SENDS: Hints = { ...ADDS, destructiveHint: true, openWorldHint: true };

interface Declaration<Input extends z.ZodObject, Output extends z.ZodObject, Data> {
  name: string;
  title: string;
  description: string;
  hints: Hints;
  /** The operations that it may call. The tool is for callers who may call all of them. */
  operations: readonly string[];
  input: Input;
  output: Output;
  run(input: z.output<Input>, calls: Calls): Promise<Data>;
  /** Called again with less room if the answer is too long, so it must not change anything. */
  present(data: Data, fence: Fence, input: z.output<Input>): z.input<Output> | Promise<z.input<Output>>;
}

export interface Tool extends Omit<
  Declaration<z.ZodObject, z.ZodObject, unknown>,
  'run' | 'present' | 'input'
> {
  input: z.ZodObject;
  run(input: unknown, calls: Calls): Promise<unknown>;
  present(data: unknown, fence: Fence, input: unknown): unknown;
}

/**
 * Declares a tool. One that sends refuses arguments that it does not have: a model that gave `cc` to a tool without it
 * would believe that a copy was sent.
 */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject, Data>(
  declaration: Declaration<Input, Output, Data>,
): Tool {
  if (declaration.hints !== SENDS) return declaration;
  return { ...declaration, input: declaration.input.strict() };
}
