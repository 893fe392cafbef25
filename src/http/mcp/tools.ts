/** All tools of the MCP door. None sends campaigns, deletes mail, or changes keys, people, forwarding or policies. */
import type { Tool } from './tools/tool.ts';
import { organisingTools } from './tools/organising.ts';
import { readingTools } from './tools/reading.ts';
import { writingTools } from './tools/writing.ts';

export const TOOLS: readonly Tool[] = [...readingTools, ...organisingTools, ...writingTools];
