/** Runs a tool for `tools/call` and makes its result, with text that is at most MAX_ANSWER_LENGTH characters long. */
import type { Caller } from '../../features/api/caller.ts';
import { toAppError } from '../../platform/database/database-errors.ts';
import { AppError, needsLogging } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { Exchange } from '../requests/exchange.ts';
import { toErrorAnswer } from '../requests/error-answer.ts';
import { validate } from '../requests/validate.ts';
import type { Operations } from './call-operation.ts';
import { createFence, MAX_ANSWER_LENGTH } from './tools/fence.ts';
import type { Tool } from './tools/tool.ts';
import { TOOLS } from './tools.ts';

export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface ToolCallTools {
  operations: Operations;
  log: Log;
  /** Checks every answer against its declared shape. For tests. */
  checkAnswers: boolean;
}

/** Null for a tool that does not exist. Throws FORBIDDEN for one that the caller may not use. */
export async function callTool(
  tools: ToolCallTools,
  { exchange, caller }: { exchange: Exchange; caller: Caller },
  { name, input = {} }: { name: string; input?: unknown },
): Promise<ToolResult | null> {
  const found = TOOLS.find((tool) => tool.name === name);
  if (!found) return null;
  tools.operations.require(caller, found.operations);
  try {
    const args = validate(found.input, input);
    const data = await found.run(args, tools.operations.callsOf(exchange, caller));
    const answer = await present(found, data, args);
    if (tools.checkAnswers) found.output.parse(answer);
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
  } catch (error) {
    return explain(tools.log, exchange, error);
  }
}

const MOST_TRIES = 4;

async function present(tool: Tool, data: unknown, args: unknown): Promise<Record<string, unknown>> {
  let room = MAX_ANSWER_LENGTH;
  for (let tries = 1; ; tries += 1) {
    const answer = (await tool.present(data, createFence(room), args)) as Record<string, unknown>;
    const excess = JSON.stringify(answer).length - MAX_ANSWER_LENGTH;
    if (excess <= 0 || room <= 0 || tries === MOST_TRIES) return answer;
    room = tries === MOST_TRIES - 1 ? 0 : Math.max(room - excess, 0);
  }
}

/** What went wrong is a result, which the model can read and act on. */
function explain(log: Log, exchange: Exchange, thrown: unknown): ToolResult {
  const error = toAppError(thrown);
  if (needsLogging(error))
    log.error({ requestId: exchange.requestId, route: '/mcp', err: error.cause ?? thrown }, error.message);
  const { body } = toErrorAnswer(error, 'object', (name) => exchange.requestHeader(name));
  return { content: [{ type: 'text', text: body }], isError: true };
}

export function isForbidden(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'FORBIDDEN';
}
