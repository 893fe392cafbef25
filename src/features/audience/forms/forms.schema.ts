import { z } from 'zod';
import { cursorPage, cursorQuery, pathId, text, timestamp } from '../../../platform/schema.ts';
import { OWN_FIELD_NAMES, WRITTEN_OWN_FIELDS } from '../own-fields/own-fields.ts';

const MAX_FIELDS = 50;
const MAX_TOPICS = 100;

/** The languages of the public pages. */
const FORM_LANGUAGES = ['en', 'de', 'fr', 'es', 'nl'] as const;
export type FormLanguage = (typeof FORM_LANGUAGES)[number];

const fieldName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, {
    error: `must be email, ${OWN_FIELD_NAMES.join(', ')} or a variable of the contact book`,
  })
  .describe(`\`email\`, ${WRITTEN_OWN_FIELDS} or a variable of the contact book`);

const fieldSchema = z
  .object({
    name: z.string(),
    label: z.string().nullable().describe('Null: the default label in the language of the page'),
    required: z.boolean(),
  })
  .meta({ id: 'FormField' });

const fieldInput = z.union(
  [
    z.object({
      name: fieldName,
      label: text({ max: 200, trim: true }).nullish(),
      required: z.boolean().nullish(),
    }),
    fieldName,
  ],
  { error: 'must be the name of a field, or an object with its name, label and required' },
);

const TEXT_LIMITS = {
  title: 200,
  description: 2000,
  button: 100,
  note: 1000,
  thankYouTitle: 200,
  thankYou: 2000,
};
export type FormText = keyof typeof TEXT_LIMITS;

const COLORS = ['background', 'text', 'button', 'buttonText'] as const;
export type FormColor = (typeof COLORS)[number];

function eachOf<Name extends string, Value extends z.ZodType>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}

const textNames = Object.keys(TEXT_LIMITS) as FormText[];
const textsSchema = z
  .object(eachOf(textNames, () => z.string().nullable()))
  .describe('Null: the default text in the language of the page');
const textsInput = z
  .object(eachOf(textNames, (name) => text({ max: TEXT_LIMITS[name], trim: true }).nullish()))
  .describe('`null` or an empty text restores the default');

const color = z.string().regex(/^#[0-9a-f]{6}$/i, { error: 'must be a colour, such as #1a2b3c' });
const colorsSchema = z
  .object(eachOf(COLORS, () => z.string().nullable()))
  .describe('Null: the default, which follows the light or dark mode of the visitor');
const colorsInput = z.object(eachOf(COLORS, () => color.nullish())).describe('`null` restores the default');

const redirectUrl = text({ min: 1, max: 2000, trim: true }).refine(isWebAddress, {
  error: 'must be an http or https URL',
});

/** The URL class also accepts `https:host` and line breaks, which are always mistakes. */
function isWebAddress(value: string): boolean {
  return /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value);
}

const formSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    contactBookId: z.string(),
    fields: z.array(fieldSchema).describe('The first is always `email`, and required'),
    topicIds: z.array(z.string()).describe('People who sign up are subscribed to these topics'),
    texts: textsSchema,
    colors: colorsSchema,
    redirectUrl: z
      .string()
      .nullable()
      .describe('Where visitors go after signing up. Null: to a page that says thank you'),
    language: z.enum(FORM_LANGUAGES).nullable().describe('Null: the language that the visitor prefers'),
    url: z.string().describe('The page with the form'),
    embedHtml: z.string().describe('The form as plain HTML, to insert into any site'),
    embedScripts: z
      .object({ inline: z.string(), popup: z.string(), bar: z.string() })
      .describe(
        'The form with a style, by a script of at most 5 kB that sets no cookies: where the code stands, as a pop-up after a while, or as a bar at the bottom',
      ),
    counts: z.object({
      views: z.int().describe('How often the page was shown. Forms in other sites are not counted'),
      signups: z.int().describe('People who signed up. People who were already subscribed are not counted'),
      confirmed: z
        .int()
        .describe(
          'How many of them are subscribed: immediately, or after they confirmed if double opt-in is on',
        ),
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Form' });

const formName = text({ min: 1, max: 200, trim: true });
const contactBookId = text({ min: 1, max: 256 });

export const formAnswer = formSchema;
export const formUpdate = z.object({
  name: formName.optional(),
  contactBookId: contactBookId.optional(),
  fields: z
    .array(fieldInput)
    .max(MAX_FIELDS)
    .refine((fields) => new Set(fields.map((field) => nameOf(field).toLowerCase())).size === fields.length, {
      error: 'must not contain duplicates',
    })
    .nullish()
    .describe('`email` is added if it is missing'),
  topicIds: z
    .array(text({ min: 1, max: 256 }))
    .max(MAX_TOPICS)
    .nullish(),
  texts: textsInput.nullish(),
  colors: colorsInput.nullish(),
  redirectUrl: redirectUrl.nullish(),
  language: z.enum(FORM_LANGUAGES).nullish(),
});
export const formInput = formUpdate.extend({ name: formName, contactBookId });
export const formPreviewInput = formUpdate.extend({ contactBookId });
export const formPreview = z.object({ html: z.string().describe('The page as an HTML document') });
export const formParams = z.object({ formId: pathId() });
export const formQuery = z.object({
  ...cursorQuery,
  contactBookId: contactBookId.optional().describe('Only forms of this contact book'),
});
export const formPage = cursorPage(formSchema);
export const formDeleted = z.object({ id: z.string(), success: z.boolean() });

export function nameOf(field: FormFieldInput): string {
  return typeof field === 'string' ? field : field.name;
}

export type Form = z.infer<typeof formSchema>;
export type FormField = z.infer<typeof fieldSchema>;
export type FormFieldInput = z.output<typeof fieldInput>;
export type FormInput = z.output<typeof formInput>;
export type FormUpdate = z.output<typeof formUpdate>;
export type FormQuery = z.output<typeof formQuery>;
export type FormPreviewInput = z.output<typeof formPreviewInput>;
