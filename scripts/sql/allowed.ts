/** Values that are written by hand, and why a customer's text cannot change their meaning. */
export const ALLOWED_VALUES: Record<string, string> = {
  '`${error} (${statusCode})`': 'is plain text that a person reads',
  "names.map((name) => `sum(${name}) as ${name}`).join(', ')": 'names are columns that the code lists',
  "names.map((name) => `coalesce(${name}, 0)::float8 as ${name}`).join(', ')":
    'names are columns that the code lists',
  '`(${page},0)`': 'page is a number that the function counts',
  '`(${page + PAGES_AT_ONCE},0)`': 'page is a number that the function counts',
  '`{${ranges.map(({ from, to }) => `[${from},${to}]`).join()}}`': 'from and to are numbers',
  '`{${name},text}`': 'name is one of three words in the code',
  "`(^|[^[:alnum:]])${words.join('[^[:alnum:]]*')}`": 'words contain only letters, digits and marks',
  '`% ${begins}`': 'begins is the result of escapeLike and a percent sign',
  '`%<${begins}`': 'begins is the result of escapeLike and a percent sign',
};
