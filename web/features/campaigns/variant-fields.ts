/** The variants of an A/B test as fields of the draft form, and their conversion to and from the API. */
import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';

/** An empty text stands for the campaign's own value. */
export interface VariantFields {
  subject: string;
  from: string;
  previewText: string;
  content: string | null;
  html: string;
}

export const MIN_VARIANTS = 2;
export const MAX_VARIANTS = 4;

export const NEW_VARIANT: VariantFields = { subject: '', from: '', previewText: '', content: null, html: '' };

/** Returns A, B, C or D. */
export function letterOf(position: number): string {
  return String.fromCodePoint(65 + position);
}

export function hasOwnContent({ content, html }: VariantFields): boolean {
  return content !== null || html !== '';
}

/**
 * The draft compares fields as text, so the variants are one text: JSON, or empty without a test. A subject that
 * equals the campaign's counts as none, because the API requires a value in every variant (see `toVariantInputs`).
 */
export function variantsOf({ variants, subject: campaignSubject }: Campaign): string {
  if (!variants) return '';
  return writeVariants(
    variants.map(({ subject, from, previewText, content, html }) => ({
      subject: subject === null || subject === campaignSubject ? '' : subject,
      from: from ?? '',
      previewText: previewText ?? '',
      content,
      html: html ?? '',
    })),
  );
}

export function readVariants(text: string): VariantFields[] {
  return text === '' ? [] : (JSON.parse(text) as VariantFields[]);
}

export function writeVariants(variants: VariantFields[]): string {
  return variants.length === 0 ? '' : JSON.stringify(variants);
}

/** Returns null if there is no test. */
export function toVariantInputs(text: string, campaignSubject: string): object[] | null {
  if (text === '') return null;
  return readVariants(text).map(({ subject, from, previewText, content, html }) => ({
    subject: subject.trim() || campaignSubject,
    from: from.trim() || null,
    previewText: previewText || null,
    content,
    html: html || null,
  }));
}

/** True if two variants are the same email, so that the test could show nothing. */
export function haveEqualVariants(variants: VariantFields[]): boolean {
  return new Set(variants.map((variant) => JSON.stringify(variant))).size < variants.length;
}
