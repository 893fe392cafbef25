/** Maps the columns of a file to fields: guessed from their names, then chosen by the user. */
export const TARGETS = [
  'email',
  'firstName',
  'lastName',
  'subscribed',
  'unsubscribed',
  'property',
  'skip',
] as const;
export type Target = (typeof TARGETS)[number];

const NAMES: Record<string, Target> = {
  email: 'email',
  emailaddress: 'email',
  mail: 'email',
  email1value: 'email',
  firstname: 'firstName',
  first: 'firstName',
  givenname: 'firstName',
  forename: 'firstName',
  fname: 'firstName',
  lastname: 'lastName',
  last: 'lastName',
  surname: 'lastName',
  familyname: 'lastName',
  lname: 'lastName',
  subscribed: 'subscribed',
  unsubscribed: 'unsubscribed',
  unsubscribereason: 'skip',
  createdat: 'skip',
};

/** The first column that looks like a field gets it. */
export function guessTargets(columns: string[]): Target[] {
  const taken = new Set<Target>();
  return columns.map((column) => {
    const guess =
      column === '' ? 'skip' : (NAMES[column.toLowerCase().replaceAll(/[\s_.-]/g, '')] ?? 'property');
    if (taken.has(guess)) return 'property';
    if (guess !== 'property' && guess !== 'skip') taken.add(guess);
    return guess;
  });
}

/**
 * The mapping in the form of the API: the name of a field or property, or null. Columns without a name are left
 * out.
 */
export function toMapping(columns: string[], targets: Target[], variables: readonly string[]): string {
  const entries = columns.flatMap((column, index) => {
    const target = targets[index]!;
    if (column === '') return [];
    if (target === 'skip') return [[column, null]];
    return [[column, target === 'property' ? `property:${propertyOf(column, columns, variables)}` : target]];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/**
 * Returns a name that two columns have, unless both are skipped. The server tells columns apart by their names.
 */
export function findDoubled(columns: string[], targets: Target[]): string | undefined {
  const used = columns.filter((column, index) => column !== '' && targets[index] !== 'skip');
  return used.find((column) => columns.indexOf(column) !== columns.lastIndexOf(column));
}

/** A column City is the book's variable `city`, unless another column has exactly that name. */
function propertyOf(column: string, columns: string[], variables: readonly string[]): string {
  const name = column.replace(/^property:/, '');
  const variable = variables.find((each) => each.toLowerCase() === name.toLowerCase());
  return variable !== undefined && !columns.includes(variable) ? variable : name;
}
