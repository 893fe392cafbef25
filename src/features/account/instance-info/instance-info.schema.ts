import { z } from 'zod';

export const instanceInfo = z
  .object({
    sandbox: z.boolean().describe('True if no email leaves the server (`MAIL_TRANSPORT=sandbox`)'),
  })
  .meta({ id: 'InstanceInfo' });

export type InstanceInfo = z.infer<typeof instanceInfo>;
