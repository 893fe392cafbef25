/** The fields of a form. The first is always the email address; the others exist in the contact book. */
import { findName } from '../../../mail/html/tag-names.ts';
import { badRequest } from '../../../platform/errors.ts';
import { isOwnField, OWN_FIELD_NAMES, OWN_FIELDS } from '../own-fields/own-fields.ts';
import { formTextsIn } from './form-texts.ts';
import { nameOf, type FormField, type FormFieldInput, type FormLanguage } from './forms.schema.ts';

/** Throws for a field that is neither a contact field nor a variable of this book. */
export function toFields(input: FormFieldInput[], variables: string[]): FormField[] {
  const fields = input.map((field): FormField => {
    const { label, required } = typeof field === 'string' ? {} : field;
    const name = findName(['email', ...OWN_FIELD_NAMES, ...variables], nameOf(field)) ?? nameOf(field);
    return { name, label: label || null, required: name === 'email' || (required ?? false) };
  });
  const unknown = fields.findIndex(({ name }) => name !== 'email' && !isKnown(name, variables));
  if (unknown !== -1) {
    const { name } = fields[unknown]!;
    const message = `${name} is neither ${OWN_FIELD_NAMES.join(' nor ')} nor a variable of the contact book`;
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
  return isOwnField(name) || findName(variables, name) !== undefined;
}

/** A variable without a label is shown by its name. */
export function labelOf({ name, label }: FormField, language: FormLanguage): string {
  if (label !== null) return label;
  if (name === 'email') return formTextsIn(language).email;
  return isOwnField(name) ? OWN_FIELDS[name].labels[language] : name;
}

interface InputAttributes {
  type: string;
  name: string;
  autocomplete: string;
  maxlength: number;
}

const MAX_EMAIL = 320;
const MAX_VALUE = 1_000;

export function maxLengthOf(name: string): number {
  if (name === 'email') return MAX_EMAIL;
  return isOwnField(name) ? OWN_FIELDS[name].max : MAX_VALUE;
}

/** The HTML attributes of the field, on the page and in other sites. */
export function inputAttributesOf({ name }: FormField): InputAttributes {
  const isEmail = name === 'email';
  return {
    type: isEmail ? 'email' : 'text',
    name,
    autocomplete: isEmail ? 'email' : isOwnField(name) ? OWN_FIELDS[name].autocomplete : 'on',
    maxlength: maxLengthOf(name),
  };
}
