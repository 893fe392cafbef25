/** The fields of a form. The first is always the email address; the others exist in the contact book. */
import { findName } from '../../../mail/html/tag-names.ts';
import { badRequest } from '../../../platform/errors.ts';
import { formTextsIn } from './form-texts.ts';
import { nameOf, type FormField, type FormFieldInput, type FormLanguage } from './forms.schema.ts';

const NAMES = ['firstName', 'lastName'] as const;

/** Throws for a field that is neither a contact field nor a variable of this book. */
export function toFields(input: FormFieldInput[], variables: string[]): FormField[] {
  const fields = input.map((field): FormField => {
    const { label, required } = typeof field === 'string' ? {} : field;
    const name = findName(['email', ...NAMES, ...variables], nameOf(field)) ?? nameOf(field);
    return { name, label: label || null, required: name === 'email' || (required ?? false) };
  });
  const unknown = fields.findIndex(({ name }) => name !== 'email' && !isKnown(name, variables));
  if (unknown !== -1) {
    const { name } = fields[unknown]!;
    const message = `${name} is neither firstName nor lastName nor a variable of the contact book`;
    throw badRequest(`fields: ${message}.`, [{ path: `/fields/${unknown}`, message }]);
  }
  const email = fields.find(({ name }) => name === 'email') ?? { name: 'email', label: null, required: true };
  return [email, ...fields.filter(({ name }) => name !== 'email')];
}

/** Leaves out variables that the book no longer has. A variable has the spelling of the book. */
export function keepKnown(fields: FormField[], variables: string[]): FormField[] {
  return fields
    .filter(({ name }) => name === 'email' || isKnown(name, variables))
    .map((field) => ({ ...field, name: findName(variables, field.name) ?? field.name }));
}

function isKnown(name: string, variables: string[]): boolean {
  return isPersonName(name) || findName(variables, name) !== undefined;
}

export function isPersonName(name: string): name is (typeof NAMES)[number] {
  return name === NAMES[0] || name === NAMES[1];
}

/** A variable without a label is shown by its name. */
export function labelOf({ name, label }: FormField, language: FormLanguage): string {
  if (label !== null) return label;
  return name === 'email' || isPersonName(name) ? formTextsIn(language)[name] : name;
}

interface InputAttributes {
  type: string;
  name: string;
  autocomplete: string;
  maxlength: number;
}

const MAX_EMAIL = 320;
const MAX_PERSON_NAME = 200;
const MAX_VALUE = 1_000;

export function maxLengthOf(name: string): number {
  return name === 'email' ? MAX_EMAIL : isPersonName(name) ? MAX_PERSON_NAME : MAX_VALUE;
}

const AUTOCOMPLETE: Record<string, string> = {
  email: 'email',
  firstName: 'given-name',
  lastName: 'family-name',
};

/** The HTML attributes of the field, on the page and in other sites. */
export function inputAttributesOf({ name }: FormField): InputAttributes {
  return {
    type: name === 'email' ? 'email' : 'text',
    name,
    autocomplete: AUTOCOMPLETE[name] ?? 'on',
    maxlength: maxLengthOf(name),
  };
}
