import { z } from 'zod';
import { plainId } from '../../../platform/schema.ts';

export const messageParams = z.object({ id: plainId });
export const listLeft = z.object({
  method: z
    .enum(['one_click', 'mailto'])
    .describe('`one_click`: the URL of the list is called. `mailto`: an email is sent to the list'),
});
