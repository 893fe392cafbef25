/** Decides whether an attached file is text, and how it is read. */
const TEXT = /^(?:text\/[\w.+-]+|application\/(?:json|xml|yaml|x-yaml|csv|ics|[\w.-]+\+(?:json|xml)))$/i;
const TEXT_NAME = /\.(?:txt|csv|tsv|json|xml|ics|vcf|md|log|ya?ml|html?|eml)$/i;

interface File {
  filename: string | null;
  content_type: string;
}

/** Returns null for files without text that can be read. */
export function readTextOf(file: File, bytes: Buffer): { html: string | null; text: string | null } | null {
  const type = file.content_type.split(';')[0]!.trim();
  if (!TEXT.test(type) && !TEXT_NAME.test(file.filename ?? '')) return null;
  if (bytes.includes(0)) return null;
  const text = decode(bytes);
  const isHtml = /html/i.test(type) || /\.html?$/i.test(file.filename ?? '');
  return isHtml ? { html: text, text: null } : { html: null, text };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
