/** The options of a list to choose from. The note is shown beside the name and is searched too. */
type Option = readonly [value: string, name: string, note?: string];
export type Options = readonly Option[];

/** Returns the options that contain all typed words, those that begin with the text first. */
export function findOptions(options: Options, typed: string): Options {
  const words = plain(typed).split(' ').filter(Boolean);
  if (words.length === 0) return options;
  const found = options.filter(([, name, note = '']) => {
    const text = plain(`${name} ${note}`);
    return words.every((word) => text.includes(word));
  });
  const isFirst = ([, name]: Option) => plain(name).startsWith(words.join(' '));
  return [...found.filter(isFirst), ...found.filter((option) => !isFirst(option))];
}

/** Returns the next option, after `at`, whose name begins with the typed text. */
export function findByStart(options: Options, typed: string, at: number): number {
  const text = plain(typed);
  // A longer text continues the search at the current option; a first letter moves to the next option.
  const from = text.length > 1 ? at : at + 1;
  for (let step = 0; step < options.length; step += 1) {
    const index = (from + step) % options.length;
    if (plain(options[index]![1]).startsWith(text)) return index;
  }
  return at;
}

/** Folds case, accents and the signs in names of time zones. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[\s/_]+/g, ' ')
    .trim();
}
