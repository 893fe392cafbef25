/** Replaces NUL characters and lone surrogates, which PostgreSQL cannot store, by U+FFFD. */
export function toStorable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
