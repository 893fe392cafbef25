/** Returns the subject of a raw message, unfolded (RFC 5322, 2.2.3) and with its encoded words decoded. */
export function subjectOf(raw: string): string {
  const head = raw.slice(0, raw.search(/\r?\n\r?\n/));
  return decodeWords((/^subject:((?:.|\r?\n[ \t])*)/im.exec(head)?.[1] ?? '').trim());
}

/** RFC 2047. A word that cannot be decoded stays as it is. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(
      /=\?([\w-]+)\?([bq])\?([^?]*)\?=/gi,
      (word, charset: string, kind: string, content: string) => {
        try {
          const bytes =
            kind.toLowerCase() === 'b'
              ? Uint8Array.from(atob(content), (character) => character.charCodeAt(0))
              : Uint8Array.from(
                  content
                    .replaceAll('_', ' ')
                    .replaceAll(/=([0-9a-f]{2})/gi, (_match, hex: string) =>
                      String.fromCharCode(Number.parseInt(hex, 16)),
                    ),
                  (character) => character.charCodeAt(0),
                );
          return new TextDecoder(charset).decode(bytes);
        } catch {
          return word;
        }
      },
    );
}
