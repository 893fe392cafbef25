/**
 * Labels of vendors, such as Postmark's Tag, as our tags. Vendors allow any characters and we allow few, so the tag has
 * `_` in place of the others. If the label differs from the tag, it is stored in the metadata.
 */
import type { EmailLabels } from '../../../features/sending/emails/emails.schema.ts';

const MAX_LENGTH = 256;

export function toTagValue(label: string): string {
  return label.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_LENGTH);
}

/** `name` is the name of the tags and the prefix of the keys in the metadata. */
export function toLabels(name: string, labels: string[]): EmailLabels {
  const tags = labels.map((label) => ({ name, value: toTagValue(label) }));
  const differing = labels.flatMap((label, at) =>
    label === tags[at]!.value ? [] : [[keyAt(name, at), label] as const],
  );
  return { tags, metadata: Object.fromEntries(differing) };
}

/** The inverse of `toLabels`. */
export function readLabels(name: string, { tags, metadata }: EmailLabels): string[] {
  return tags.filter((tag) => tag.name === name).map(({ value }, at) => metadata[keyAt(name, at)] ?? value);
}

/** Returns the metadata that the sender itself set. */
export function readMetadata(name: string, { metadata }: EmailLabels): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith(keyAt(name, ''))));
}

function keyAt(name: string, at: number | ''): string {
  return `${name}_as_written_${at}`;
}
