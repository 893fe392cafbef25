/** All tools of the MCP door. None sends campaigns, deletes mail, or changes keys, people, forwarding or policies. */
import { campaignTools } from './tools/campaigns.ts';
import { contactTools } from './tools/contacts.ts';
import { deliveryTools } from './tools/delivery.ts';
import { organisingTools } from './tools/organising.ts';
import { readingTools } from './tools/reading.ts';
import type { Tool } from './tools/tool.ts';
import { writingTools } from './tools/writing.ts';

export const TOOLS: readonly Tool[] = [
  ...readingTools,
  ...organisingTools,
  ...writingTools,
  ...contactTools,
  ...campaignTools,
  ...deliveryTools,
];
