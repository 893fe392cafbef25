/** Builds the request of an operation's samples from its examples in the OpenAPI document. */
import type { ApiOperation, OpenApiMedia, Parameter } from '../openapi/document.ts';

export interface SampleRequest {
  method: string;
  url: string;
  /** How the caller authenticates: by an API key, by a session cookie, or not at all. */
  identity: 'key' | 'session' | 'none';
  /** Set for changes with a session, because those must come from our own origin. */
  origin: string | null;
  body: {
    contentType: string;
    example: unknown;
    /** The example is the name of a file. */ isFile: boolean;
  } | null;
  answersJson: boolean;
}

export function toSampleRequest(
  serverUrl: string,
  method: string,
  path: string,
  operation: ApiOperation,
): SampleRequest {
  const { parameters = [], requestBody, responses } = operation;
  const permission = operation['x-permission'];
  const isSession = permission === 'person';
  const [body] = Object.entries(requestBody?.content ?? {});
  return {
    method,
    url: serverUrl + fillPath(path, parameters) + fillQuery(parameters),
    identity: permission === 'anyone' ? 'none' : isSession ? 'session' : 'key',
    origin: isSession && method !== 'GET' ? new URL(serverUrl).origin : null,
    body: body ? { contentType: body[0], example: body[1].example, isFile: isShownByName(...body) } : null,
    answersJson: 'application/json' in responses['200']!.content,
  };
}

function fillPath(path: string, parameters: Parameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name);
    return parameter?.example === undefined ? placeholder : encodeURIComponent(String(parameter.example));
  });
}

function fillQuery(parameters: Parameter[]): string {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
    .map(({ name, example }) => `${encodeURIComponent(name)}=${encodeURIComponent(String(example))}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** Text is shown itself, other files by their names. */
function isShownByName(contentType: string, { schema }: OpenApiMedia): boolean {
  return schema.format === 'binary' && !contentType.startsWith('text/');
}
