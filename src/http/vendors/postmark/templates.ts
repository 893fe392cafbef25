/** Templates. They are also found by name, so that a template from the dashboard needs no alias. */
import { z } from 'zod';
import {
  templateInput,
  templateUpdate,
  type Template,
  type TemplateListItem,
} from '../../../features/content/templates/templates.schema.ts';
import {
  createTemplate,
  deleteTemplate,
  findTemplateId,
  getTemplate,
  listTemplates,
  updateTemplate,
} from '../../../features/content/templates/templates.ts';
import { compileTags, tagNames } from '../../../mail/html/merge-tags.ts';
import { invalidField } from '../../../platform/errors.ts';
import { toIdNumber } from '../../../platform/id-numbers.ts';
import { text } from '../../../platform/schema.ts';
import { collect } from '../mapping/offset-list.ts';
import { readFields } from '../mapping/read-fields.ts';
import { flattenModel, hasOtherTags } from '../mapping/stored-template.ts';
import { listQuery, postmarkRoute } from './postmark-route.ts';

const MAX_LENGTH = 500_000;
const NAMES = { name: 'Name', alias: 'Alias', subject: 'Subject', html: 'HtmlBody', text: 'TextBody' };

const params = z.object({ template: text({ min: 1, max: 256 }) });
const part = text({ max: MAX_LENGTH }).nullish();
const fields = {
  Subject: part,
  HtmlBody: part,
  TextBody: part,
  TemplateType: z.literal('Standard', { error: 'must be Standard: there are no layouts' }).nullish(),
  LayoutTemplate: z.null({ error: 'must be left out: there are no layouts' }).optional(),
};
const templateChange = z.strictObject({
  Name: text({ max: 200 }).nullish(),
  Alias: z.string().max(1000).nullish(),
  ...fields,
  // SDKs with one type for requests and responses send these too.
  TemplateId: z.unknown().optional(),
  TemplateID: z.unknown().optional(),
  AssociatedServerId: z.unknown().optional(),
  Active: z.unknown().optional(),
});
const listed = z.object({
  TemplateId: z.int(),
  Name: z.string(),
  Alias: z.string().nullable(),
  Active: z.literal(true),
  TemplateType: z.literal('Standard'),
  LayoutTemplate: z.null(),
});
const shown = listed.extend({
  Subject: z.string().nullable(),
  HtmlBody: z.string().nullable(),
  TextBody: z.string().nullable(),
  AssociatedServerId: z.int(),
});
const checkedPart = z.object({
  ContentIsValid: z.boolean(),
  ValidationErrors: z.array(z.object({ Message: z.string() })),
  RenderedContent: z.string().nullable(),
});

export const templateRoutes = [
  postmarkRoute({
    method: 'GET',
    path: '/templates',
    scope: 'templates.read',
    permission: 'full',
    query: listQuery('templatetype', 'layouttemplate'),
    answer: z.object({ TotalCount: z.int(), Templates: z.array(listed) }),
    async handle({ db, teamId, query }) {
      if (query.templatetype?.toLowerCase() === 'layout' || query.layouttemplate !== undefined)
        return { TotalCount: 0, Templates: [] };
      const { items, total } = await collect(query, (page) => listTemplates(db, teamId, page));
      return { TotalCount: total, Templates: items.map(presentListed) };
    },
  }),
  postmarkRoute({
    method: 'POST',
    path: '/templates',
    scope: 'templates.write',
    permission: 'full',
    creates: 'templates',
    body: templateChange,
    answer: shown,
    async handle({ db, caller, body }) {
      const template = await createTemplate(db, caller, readFields(templateInput, toFields(body), NAMES));
      return present(template, caller.teamId);
    },
  }),
  postmarkRoute({
    method: 'GET',
    path: '/templates/{template}',
    scope: 'templates.read',
    permission: 'full',
    params,
    answer: shown,
    async handle({ db, teamId, params: { template } }) {
      return present(await getTemplate(db, teamId, await findTemplateId(db, teamId, template)), teamId);
    },
  }),
  postmarkRoute({
    method: 'PUT',
    path: '/templates/{template}',
    scope: 'templates.write',
    permission: 'full',
    params,
    body: templateChange,
    answer: shown,
    async handle({ db, teamId, caller, params: { template }, body }) {
      const id = await findTemplateId(db, teamId, template);
      return present(
        await updateTemplate(db, caller, id, readFields(templateUpdate, toFields(body), NAMES)),
        teamId,
      );
    },
  }),
  postmarkRoute({
    method: 'DELETE',
    path: '/templates/{template}',
    scope: 'templates.write',
    permission: 'full',
    params,
    answer: z.object({ ErrorCode: z.literal(0), Message: z.string() }),
    async handle({ db, teamId, params: { template } }) {
      await deleteTemplate(db, teamId, await findTemplateId(db, teamId, template));
      return { ErrorCode: 0 as const, Message: `Template ${template} removed.` };
    },
  }),
  postmarkRoute({
    method: 'POST',
    path: '/templates/validate',
    scope: 'templates.read',
    permission: 'full',
    body: z.strictObject({
      ...fields,
      TestRenderModel: z.unknown().optional(),
      InlineCssForHtmlTestRender: z.literal(false).nullish(),
    }),
    answer: z.object({
      AllContentIsValid: z.boolean(),
      HtmlBody: checkedPart,
      TextBody: checkedPart,
      Subject: checkedPart,
      SuggestedTemplateModel: z.record(z.string(), z.unknown()),
    }),
    async handle({ body }) {
      const values = flattenModel(body.TestRenderModel ?? {}, 'TestRenderModel');
      const checked = {
        HtmlBody: checkPart(body.HtmlBody, 'html', values),
        TextBody: checkPart(body.TextBody, 'plain', values),
        Subject: checkPart(body.Subject, 'plain', values),
      };
      const names = [body.HtmlBody, body.TextBody, body.Subject].flatMap((each) => tagNames(each ?? ''));
      return {
        AllContentIsValid: Object.values(checked).every(({ ContentIsValid }) => ContentIsValid),
        ...checked,
        SuggestedTemplateModel: Object.fromEntries(names.map((name) => [name, `${name}_Value`])),
      };
    },
  }),
];

function toFields({ Name, Alias, Subject, HtmlBody, TextBody }: z.output<typeof templateChange>) {
  for (const [name, value] of Object.entries({ Subject, HtmlBody, TextBody }))
    if (value && hasOtherTags(value))
      throw invalidField(name, 'must contain no other tags than {{name}} and {{user.name}}');
  return {
    name: Name ?? undefined,
    alias: Alias === '' ? null : Alias,
    subject: Subject ?? undefined,
    html: HtmlBody ?? undefined,
    text: TextBody ?? undefined,
  };
}

function checkPart(
  content: string | null | undefined,
  kind: 'html' | 'plain',
  values: ReturnType<typeof flattenModel>,
) {
  if (hasOtherTags(content ?? ''))
    return {
      ContentIsValid: false,
      ValidationErrors: [{ Message: 'Only tags such as {{name}} and {{user.name}} are supported.' }],
      RenderedContent: null,
    };
  const rendered = compileTags(content ?? '', kind).render((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : null;
    return value === null || value === undefined ? null : String(value);
  });
  return { ContentIsValid: true, ValidationErrors: [], RenderedContent: rendered };
}

function presentListed({ id, name, alias }: TemplateListItem) {
  return {
    TemplateId: toIdNumber('tpl', id),
    Name: name,
    Alias: alias,
    Active: true as const,
    TemplateType: 'Standard' as const,
    LayoutTemplate: null,
  };
}

function present(template: Template, teamId: number) {
  const { subject, html, text: plain } = template;
  return {
    ...presentListed(template),
    Subject: subject,
    HtmlBody: html,
    TextBody: plain,
    AssociatedServerId: teamId,
  };
}
