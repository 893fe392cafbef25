import { z } from 'zod';
import { plainId } from '../../../platform/schema.ts';

const MAX_MERGED = 50;

export const mergeInput = z.object({
  from: z.array(plainId).min(1).max(MAX_MERGED).describe('Threads of the same mailbox'),
});
export const mergeUndone = z.object({
  success: z.boolean(),
  thread_ids: z.array(z.string()).describe('The thread that was kept, then those that exist again'),
});
export type MergeUndone = z.infer<typeof mergeUndone>;
