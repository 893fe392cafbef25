/** A variant of an A/B test, as campaigns and their versions store it. */
import type { z } from 'zod';
import type { shownVariant } from './versions.schema.ts';

/** Null means the same as in the campaign. */
export interface Variant {
  subject: string | null;
  sender: string | null;
  /** The domain of `sender`. */
  domainId: number | null;
  previewText: string | null;
  html: string | null;
  content: string | null;
}

export function presentVariant(variant: Variant): z.infer<typeof shownVariant> {
  const { subject, sender, previewText, html, content } = variant;
  return { subject, from: sender, previewText, html, content };
}
