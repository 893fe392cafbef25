/** The values of the form builder, and the input that it sends. Empty texts stand for defaults. */
import type {
  Form,
  FormColor,
  FormField,
  FormLanguage,
  FormText,
} from '../../../src/features/audience/forms/forms.schema.ts';
import { OWN_FIELD_NAMES } from '../../../src/features/audience/own-fields/own-fields.ts';
import { texts } from '../../texts/en.ts';

export interface FormValues {
  name: string;
  contactBookId: string;
  fields: FormField[];
  topicIds: string[];
  texts: Record<FormText, string>;
  colors: Record<FormColor, string>;
  redirectUrl: string;
  language: FormLanguage | '';
}

export function valuesOf(form: Form): FormValues {
  const { name, contactBookId, fields, topicIds, texts, colors, redirectUrl, language } = form;
  return {
    name,
    contactBookId,
    fields,
    topicIds,
    texts: withEmpty(texts),
    colors: withEmpty(colors),
    redirectUrl: redirectUrl ?? '',
    language: language ?? '',
  };
}

/** `variables` are those of the chosen book; fields that it does not have are left out. */
export function toInput(values: FormValues, variables: readonly string[]) {
  const known = new Set(['email', ...OWN_FIELD_NAMES, ...variables]);
  return {
    ...values,
    fields: values.fields
      .filter(({ name }) => known.has(name))
      .map((field) => ({ ...field, label: field.label?.trim() || null })),
    texts: withNulls(values.texts),
    colors: withNulls(values.colors),
    redirectUrl: values.redirectUrl.trim() || null,
    language: values.language || null,
  };
}

function withEmpty<Name extends string>(values: Record<Name, string | null>): Record<Name, string> {
  return mapValues(values, (value) => value ?? '');
}

function withNulls<Name extends string>(values: Record<Name, string>): Record<Name, string | null> {
  return mapValues(values, (value) => value.trim() || null);
}

function mapValues<Name extends string, From, To>(
  values: Record<Name, From>,
  change: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries<From>(values).map(([name, value]) => [name, change(value)]);
  return Object.fromEntries(entries) as Record<Name, To>;
}

/** Adds or removes a field, in the order of the book. */
export function toggleField(fields: FormField[], name: string, order: readonly string[]): FormField[] {
  const next = fields.some((field) => field.name === name)
    ? fields.filter((field) => field.name !== name)
    : [...fields, { name, label: null, required: false }];
  const placeOf = (field: FormField) => order.indexOf(field.name);
  return next.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Returns null if there is nothing to divide by. More than 100% is possible, because forms on other sites have no
 * views.
 */
export function percentOf(part: number, whole: number): string | null {
  return whole === 0 || part > whole ? null : texts.common.percent((100 * part) / whole);
}
