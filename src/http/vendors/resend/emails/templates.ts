/** Templates. Ours have no drafts: a change takes effect with the next email, and publishing changes nothing. */
import { z } from 'zod';
import {
  templateInput,
  templateUpdate,
  type Template,
  type TemplateListItem,
} from '../../../../features/content/templates/templates.schema.ts';
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  updateTemplate,
} from '../../../../features/content/templates/templates.ts';
import { findTags } from '../../../../mail/html/merge-tags.ts';
import { invalidField } from '../../../../platform/errors.ts';
import { pathId, text } from '../../../../platform/schema.ts';
import { validate } from '../../../requests/validate.ts';
import { deleteRoute, listRoute } from '../routing/object-routes.ts';
import { fromTemplateTags, toTemplateTags } from './merge-tags.ts';
import { repeated, resendRoute } from '../routing/resend-route.ts';

const MAX_VARIABLES = 100;
const BODY_LIMIT = 4 * 1024 * 1024;

const anything = z.unknown().optional();
/** Longer than any template. Our own limits are checked later. */
const part = z.string().max(2_000_000).nullish();
const fallbackValue = z.union([
  text({ max: 1000 }).regex(/^[^{}]*$/, { error: 'must not contain braces' }),
  z.number(),
  z.null(),
]);
const templateBody = z.strictObject({
  ...repeated('id'),
  name: anything,
  alias: anything,
  subject: part,
  html: part,
  text: part,
  from: anything,
  reply_to: anything,
  variables: z
    .array(
      z.strictObject({
        key: z
          .string()
          .regex(/^[A-Za-z_]\w{0,63}$/, { error: 'must have 1 to 64 characters of A-Z a-z 0-9 and _' }),
        type: z.enum(['string', 'number']).optional(),
        fallback_value: fallbackValue.optional(),
      }),
    )
    .max(MAX_VARIABLES)
    .nullish(),
});
type TemplateBody = z.output<typeof templateBody>;

const listed = z.object({
  id: z.string(),
  name: z.string(),
  alias: z.string().nullable(),
  status: z.literal('published'),
  published_at: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
});
const shown = listed.extend({
  object: z.literal('template'),
  subject: z.string().nullable(),
  html: z.string().nullable(),
  text: z.string().nullable(),
  from: z.null(),
  reply_to: z.null(),
  variables: z.array(
    z.object({
      key: z.string(),
      type: z.literal('string'),
      fallback_value: z.string().nullable(),
      created_at: z.string(),
      updated_at: z.string(),
    }),
  ),
  has_unpublished_versions: z.boolean(),
  current_version_id: z.string(),
});
const named = z.object({ object: z.literal('template'), id: z.string() });
const params = z.object({ id: pathId() });
const content = { body: templateBody, bodyLimitBytes: BODY_LIMIT, answer: named } as const;

export const resendTemplateRoutes = [
  resendRoute({
    method: 'POST',
    path: '/templates',
    scope: 'templates.write',
    permission: 'full',
    creates: 'templates',
    ...content,
    async handle({ db, caller, body }) {
      const input = validate(templateInput, toContent(body, fallbacksOf(body)));
      return presentId(await createTemplate(db, caller, input));
    },
  }),
  listRoute({
    path: '/templates',
    scope: 'templates.read',
    permission: 'full',
    list: ({ db, teamId }, page) => listTemplates(db, teamId, page),
    item: listed,
    present: presentListed,
  }),
  resendRoute({
    method: 'GET',
    path: '/templates/{id}',
    scope: 'templates.read',
    permission: 'full',
    params,
    answer: shown,
    handle: async ({ db, teamId, params: { id } }) => present(await getTemplate(db, teamId, id)),
  }),
  resendRoute({
    method: 'PATCH',
    path: '/templates/{id}',
    scope: 'templates.write',
    permission: 'full',
    params,
    ...content,
    async handle({ db, teamId, caller, params: { id }, body }) {
      const before = await getTemplate(db, teamId, id);
      const fallbacks = body.variables ? fallbacksOf(body) : storedFallbacks(before);
      // When fallbacks change, the stored content is rewritten.
      const stored = body.variables ? partsOf(before) : {};
      const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
      const update = validate(templateUpdate, toContent({ ...stored, ...sent }, fallbacks));
      return presentId(await updateTemplate(db, caller, before.id, update));
    },
  }),
  deleteRoute({
    path: '/templates/{id}',
    scope: 'templates.write',
    permission: 'full',
    object: 'template',
    async remove({ db, teamId }, id) {
      const found = await getTemplate(db, teamId, id);
      await deleteTemplate(db, teamId, found.id);
      return found.id;
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/templates/{id}/duplicate',
    scope: 'templates.write',
    permission: 'full',
    creates: 'templates',
    params,
    answer: named,
    async handle({ db, teamId, caller, params: { id } }) {
      const { name, subject, html, text, content, translations } = await getTemplate(db, teamId, id);
      const fields = { name: copyName(name), subject, html, text, content, translations };
      const copy = validate(templateInput, fields);
      return presentId(await createTemplate(db, caller, copy));
    },
  }),
  resendRoute({
    method: 'POST',
    path: '/templates/{id}/publish',
    scope: 'templates.write',
    permission: 'full',
    params,
    answer: named,
    handle: async ({ db, teamId, params: { id } }) => presentId(await getTemplate(db, teamId, id)),
  }),
];

/** A name may have at most 200 characters. */
export function copyName(name: string): string {
  return `${[...name].slice(0, 190).join('')} (copy)`;
}

function toContent(
  { name, alias, subject, html, text, from, reply_to }: TemplateBody,
  fallbacks: Map<string, string>,
) {
  for (const [field, value] of Object.entries({ from, reply_to }))
    if (value !== undefined && value !== null)
      throw invalidField(field, 'is not kept with a template. Set it in each email');
  return {
    name,
    alias,
    subject: fromTemplateTags(subject, fallbacks),
    html: fromTemplateTags(html, fallbacks),
    text: fromTemplateTags(text, fallbacks),
  };
}

function fallbacksOf({ variables }: TemplateBody): Map<string, string> {
  const given = (variables ?? []).filter(({ fallback_value }) => (fallback_value ?? null) !== null);
  return new Map(given.map(({ key, fallback_value }) => [key, String(fallback_value)]));
}

function storedFallbacks({ subject, html, text }: Template): Map<string, string> {
  const tags = [subject, html, text].flatMap((each) => [...findTags(each ?? '')]);
  return new Map(
    tags.filter(({ fallback }) => fallback !== '').map(({ name, fallback }) => [name, fallback]),
  );
}

function partsOf({ subject, html, text }: Template) {
  return { subject: toTemplateTags(subject), html: toTemplateTags(html), text: toTemplateTags(text) };
}

function presentId({ id }: { id: string }) {
  return { object: 'template' as const, id };
}

function presentListed({ id, name, alias, createdAt, updatedAt }: TemplateListItem) {
  const times = { published_at: updatedAt, created_at: createdAt, updated_at: updatedAt };
  return { id, name, alias, status: 'published' as const, ...times };
}

function present(template: Template) {
  const { id, createdAt: created_at, updatedAt: updated_at } = template;
  const fallbacks = storedFallbacks(template);
  return {
    object: 'template' as const,
    ...presentListed(template),
    ...partsOf(template),
    from: null,
    reply_to: null,
    variables: template.variables.map((key) => ({
      key,
      type: 'string' as const,
      fallback_value: fallbacks.get(key) ?? null,
      created_at,
      updated_at,
    })),
    has_unpublished_versions: false,
    current_version_id: id,
  };
}
