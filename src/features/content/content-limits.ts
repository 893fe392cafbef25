/** Limits of the content of emails, templates and campaigns, and of requests with it. */
import type { z } from 'zod';
import { findEditorTagProblem } from '../../mail/html/editor/editor-tags.ts';
import { describeTagProblem, findTagProblem } from '../../mail/html/merge-tags.ts';
import { text } from '../../platform/schema.ts';

/** Limits the body of a request that contains an email with its attachments in base64. */
export const EMAIL_BODY_BYTES = 40 * 1024 * 1024;

/** Limits of one message, so that composing it never blocks other requests for long. */
export const MAX_LINKS = 5_000;
export const MAX_MERGE_TAGS = 1_000;
const LINK = /<(?:a|area|v:[a-z]+)[\s/>]/gi;
const TAG = /\{\{/g;
const BLOCK = /\{%/g;

/** The HTML of a message, with a limit of characters and of links. */
export function html(limits: { max: number }) {
  return text(limits)
    .refine((value) => value.length > 2 * limits.max || hasAtMost(value, LINK, MAX_LINKS), {
      error: `must have at most ${MAX_LINKS} links`,
    })
    .describe(`At most ${MAX_LINKS} links`);
}

/** For HTML whose values have been filled in. */
export function hasFewLinks(value: string): boolean {
  return hasAtMost(value, LINK, MAX_LINKS);
}

/** Adds the limit of merge tags to a text that may contain them, and rejects mistakes in its conditions and loops. */
export function withTags<Schema extends z.ZodType<string>>(
  schema: Schema,
  kind: 'html' | 'plain' | 'editor',
) {
  return schema
    .refine((value) => hasAtMost(value, TAG, MAX_MERGE_TAGS), {
      error: `must have at most ${MAX_MERGE_TAGS} merge tags`,
    })
    .superRefine((value, context) => {
      if (!value.includes('{%')) return;
      const isShort = hasAtMost(value, BLOCK, MAX_MERGE_TAGS) && hasAtMost(value, TAG, MAX_MERGE_TAGS);
      const message = isShort
        ? describeMistake(value, kind)
        : `must have at most ${MAX_MERGE_TAGS} conditions and loops`;
      if (message) context.addIssue({ code: 'custom', message });
    });
}

function describeMistake(value: string, kind: 'html' | 'plain' | 'editor'): string | null {
  const problem = kind === 'editor' ? findEditorTagProblem(value) : findTagProblem(value, kind);
  return problem && describeTagProblem(problem);
}

function hasAtMost(value: string, pattern: RegExp, most: number): boolean {
  let count = 0;
  for (const _ of value.matchAll(pattern)) if (++count > most) return false;
  return true;
}
