import type { Facts } from './facts.ts';

/** Every door calls it before a write that can grow. Throws while the disk is full or the team is over its limit. */
export async function requireSpace(
  { disk, storage }: Pick<Facts, 'disk' | 'storage'>,
  teamId: number,
  bytes: number,
): Promise<void> {
  await disk.require();
  (await storage.look(teamId)).require(bytes);
}
