/** The whole chain of causes in words: an operator may see what a stranger may not. */
export function describeError(error: unknown): string {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) messages.push(ownWords(at));
  return messages.length > 0 ? messages.join(': ') : String(error);
}

/** A name with two addresses that both refuse makes an error without a word of its own. */
function ownWords(error: Error): string {
  if (error.message) return error.message;
  if (!(error instanceof AggregateError)) return error.name;
  return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join(', ');
}
