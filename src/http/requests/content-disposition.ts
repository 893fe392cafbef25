import type { FileAnswer } from '../../features/api/route.ts';

/**
 * Writes Content-Disposition (RFC 6266) with an ASCII name, and the real name in the encoding of RFC 8187 if it
 * differs.
 */
export function describeFile(shownAs: FileAnswer['shownAs'], name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_');
  if (plain === name) return `${shownAs}; filename="${name}"`;
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${shownAs}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
