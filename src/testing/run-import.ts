import { vi } from 'vitest';
import { importCommand } from '../cli/import/import.ts';
import type { TestServer, TestTeam } from './test-server.ts';

/** Runs `posthorn import` on the server's database and returns what it prints. */
export async function runImport({ config }: TestServer, args: string[]): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(print),
    vi.spyOn(console, 'error').mockImplementation(print),
  ];
  try {
    await importCommand(args, config);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return lines.join('\n');
}

/** Everything that an import could change. */
export async function stateAfterImport({ call }: TestTeam) {
  const read = async (path: string) => (await call('GET', path)).body;
  const books = (await read('/contactBooks')) as { id: string }[];
  return {
    books,
    domains: await read('/domains'),
    suppressions: await read('/suppressions'),
    templates: await read('/templates'),
    topics: await read('/topics'),
    segments: await read('/segments'),
    contacts: await Promise.all(books.map(({ id }) => read(`/contactBooks/${id}/contacts?limit=100`))),
    imports: await Promise.all(books.map(({ id }) => read(`/contactBooks/${id}/imports`))),
  };
}
