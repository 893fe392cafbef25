/** What a new message begins with: a paragraph for each line, and one to write on in. */
export function firstDocument(text: string): string {
  const paragraphs = text
    .split('\n')
    .map((line) => ({ type: 'paragraph', ...(line !== '' && { content: [{ type: 'text', text: line }] }) }));
  return JSON.stringify({ type: 'doc', content: [...paragraphs, { type: 'paragraph' }] });
}
