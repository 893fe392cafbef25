/** Returns the supported language that the visitor prefers (RFC 9110 section 12.5.4), or null if there is none. */
export function preferredLanguage<Language extends string>(
  acceptLanguage: string | undefined,
  supported: readonly Language[],
): Language | null {
  const wanted = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const quality = /^\s*q=([\d.]+)\s*$/.exec(parameters.join(';'))?.[1];
      const base = tag.split('-')[0]!.trim();
      return {
        language: supported.find((each) => each === base),
        quality: quality === undefined ? 1 : Number(quality),
      };
    })
    .filter(({ language, quality }) => language !== undefined && quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  return wanted[0]?.language ?? null;
}
