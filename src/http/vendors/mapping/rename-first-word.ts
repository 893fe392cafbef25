/** Messages about a field begin with its name. Returns the message with the vendor's name of the field. */
export function renameFirstWord(message: string, names: Readonly<Record<string, string>>): string {
  const end = message.indexOf(' ');
  const word = message.slice(0, end);
  return end > 0 && Object.hasOwn(names, word) ? names[word]! + message.slice(end) : message;
}
