/** What a new message begins with: one paragraph. */
export function firstDocument(text: string): string {
  return JSON.stringify({
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text }] }, { type: 'paragraph' }],
  });
}
