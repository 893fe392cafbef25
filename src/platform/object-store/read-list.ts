/** Parses the XML of S3 lists. The keys that we write need no more than this; other keys are not ours. */

interface ListedObject {
  key: string;
  /** The age by the clock of the server. */
  ageMs: number;
}

export interface ObjectPage {
  objects: ListedObject[];
  /** The token that continues the list; null at its end. */
  next: string | null;
}

/** `date` is the time of the server. */
export function readList(xml: string, date: string | undefined): ObjectPage {
  const now = Date.parse(date ?? '');
  const objects = xml
    .split('<Contents>')
    .slice(1)
    .flatMap((entry) => {
      const key = readTag(entry, 'Key');
      const ageMs = now - Date.parse(readTag(entry, 'LastModified') ?? '');
      return key === null || Number.isNaN(ageMs) ? [] : { key, ageMs };
    });
  const isCut = readTag(xml, 'IsTruncated') === 'true';
  return { objects, next: isCut ? readTag(xml, 'NextContinuationToken') : null };
}

export function readTag(xml: string, name: string): string | null {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  if (start === -1 || end === -1) return null;
  return decodeEntities(xml.slice(start + name.length + 2, end));
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name]!);
}
