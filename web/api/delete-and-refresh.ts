import { sendJson } from './client.ts';
import { refresh } from './query-client.ts';

export async function deleteAndRefresh(path: string, ...queryKey: readonly unknown[]): Promise<void> {
  await sendJson('DELETE', path);
  await refresh(...queryKey);
}
