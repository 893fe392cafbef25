import { z } from 'zod';

const starter = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    subject: z.string(),
    forCampaigns: z
      .boolean()
      .describe('False for email that your application sends, with merge tags that contacts do not have'),
    content: z.string().describe('The JSON document of the email editor, for a campaign or template'),
    html: z.string().describe('The document as it is sent, with merge tags'),
  })
  .meta({ id: 'StarterTemplate' });

export const starterList = z.object({ items: z.array(starter) });

export type Starter = z.infer<typeof starter>;
