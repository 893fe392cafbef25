import { onTestFinished, vi } from 'vitest';
import { importCommand } from '../cli/import/import.ts';
import type { TestServer, TestTeam } from './test-server.ts';
import { startVendorServer } from './vendor-server.ts';

/** Runs `posthorn import` on the server's database and returns its output. */
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

/** Starts a server that responds as the vendor does, until the test ends. */
export async function startVendor(
  answering: Parameters<typeof startVendorServer>[0],
): ReturnType<typeof startVendorServer> {
  const started = await startVendorServer(answering);
  onTestFinished(() => started.close());
  return started;
}

/** Returns the book with this name and its contacts. */
export async function contactsOf(
  team: TestTeam,
  bookName: string,
): Promise<{ id: string; items: Record<string, unknown>[] }> {
  const books = (await team.call('GET', '/contactBooks')).body as { id: string; name: string }[];
  const { id } = books.find(({ name }) => name === bookName)!;
  const { items } = (await team.call('GET', `/contactBooks/${id}/contacts?limit=100`)).body;
  return { id, items };
}

/** Returns everything that an import could change. */
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
