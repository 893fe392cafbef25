/** What clients see of the tools (`tools/list`), for the caller. */
import { z } from 'zod';
import type { Caller } from '../../features/api/caller.ts';
import type { Operations } from './call-operation.ts';
import type { Tool } from './tools/tool.ts';
import { TOOLS } from './tools.ts';

type JsonObject = { type: 'object'; [key: string]: unknown };

export interface ListedTool {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema: JsonObject;
  annotations: Tool['hints'] & { title: string };
}

let listed: Map<string, ListedTool> | undefined;

/** In a fixed order, so that clients can cache the list. */
export function listTools(operations: Operations, caller: Caller): ListedTool[] {
  listed ??= new Map(TOOLS.map((tool) => [tool.name, describe(tool)]));
  return TOOLS.filter((tool) => operations.allows(caller, tool.operations)).map(({ name }) =>
    listed!.get(name)!,
  );
}

function describe({ name, title, description, hints, input, output }: Tool): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: toJsonSchema(input, 'input'),
    outputSchema: toJsonSchema(output, 'output'),
    annotations: { title, ...hints },
  };
}

function toJsonSchema(shape: z.ZodObject, io: 'input' | 'output'): JsonObject {
  const schema = z.toJSONSchema(shape, {
    io,
    reused: 'inline',
    override({ jsonSchema }) {
      // Clients must not break when an answer gains a field.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { ...schema, type: 'object' };
}
