/**
 * Validates input against a route's shapes. Counts are checked before contents, and the number of reported issues is
 * limited, so that rejecting invalid input of any size is cheap.
 */
import type { z } from 'zod';
import {
  AppError,
  badRequest,
  describeIssue,
  MAX_ISSUES,
  issueReasonOf,
  UNKNOWN_FIELD,
  type Issue,
  type IssueReason,
} from '../../platform/errors.ts';
import { isStorable } from '../../platform/schema.ts';
import { findExcess } from './count-limits.ts';

export interface Fault {
  path: readonly PropertyKey[];
  message: string;
  /** For messages of a field's own; the others tell their reason. */
  reason?: IssueReason | undefined;
}

export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = check(schema, input);
  if (result.faults === null) return result.value;
  throw refusal(result.faults);
}

/** Returns the value, or at most MAX_ISSUES faults. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): { value: z.output<Schema>; faults: null } | { faults: Fault[] } {
  const excess = findExcess(schema, input);
  if (excess) return { faults: [excess] };
  const result = schema.safeParse(input);
  if (result.success) return { value: result.data, faults: null };
  return { faults: result.error.issues.slice(0, MAX_ISSUES).flatMap(toFaults).slice(0, MAX_ISSUES) };
}

/** Each unknown field is a fault of its own. */
function toFaults(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'custom') return [{ ...issue, reason: issue.params?.reason as IssueReason | undefined }];
  if (issue.code === 'invalid_union') return faultsOfMeant(issue) ?? [issue];
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys
    .slice(0, MAX_ISSUES)
    .map((key) => ({ path: [...issue.path, key], message: UNKNOWN_FIELD }));
}

/** Returns null unless the input is clearly meant as one of the types: it has the kind of that type and its fields. */
function faultsOfMeant({ path, errors }: z.core.$ZodIssueInvalidUnion): Fault[] | null {
  const meant = errors.filter((issues) =>
    issues.every(
      (issue) =>
        issue.path.length > 0 && !(issue.path.length === 1 && issueReasonOf(issue.message) === 'required'),
    ),
  );
  if (meant.length !== 1) return null;
  return meant[0]!.flatMap(toFaults).map((fault) => ({ ...fault, path: [...path, ...fault.path] }));
}

/** `invalidItems` has the indexes of all invalid items of a list, also of those without a fault in `faults`. */
export function refusal(faults: Fault[], invalidItems?: readonly number[]): AppError {
  const issues = faults.slice(0, MAX_ISSUES).map(({ path, message, reason }) => ({
    path: toPointer(path),
    message,
    reason: reason ?? issueReasonOf(message),
  }));
  return new AppError('BAD_REQUEST', summarize(issues), { issues: issues.map(withField), invalidItems });
}

/** Names the field in a message that is no sentence without it: "html or text is required". */
function withField({ path, message, reason }: Issue): Issue {
  return {
    path,
    reason,
    message: message.startsWith('or ') ? `${path.split('/').at(-1)} ${message}` : message,
  };
}

/** Validates path parameters and query. As in bodies, text that cannot be stored is rejected. */
export function validateText<Schema extends z.ZodType>(
  schema: Schema,
  input: Record<string, string>,
): z.output<Schema> {
  for (const [name, value] of Object.entries(input)) {
    if (!isStorable(value))
      throw badRequest(`${name} must not contain NUL characters or unpaired surrogates.`);
  }
  return validate(schema, input);
}

function summarize(issues: Issue[]): string {
  const first = describeIssue(issues[0]!);
  const others = issues.length - 1;
  if (others === 0) return `${first}.`;
  if (issues.length === MAX_ISSUES) return `${first}, and there are at least ${others} more problems.`;
  return `${first}, and ${others} more ${others === 1 ? 'problem' : 'problems'}.`;
}

function toPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
