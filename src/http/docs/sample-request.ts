/** The request that an operation's samples make, from its examples in the OpenAPI document. */
import type { Operation, Parameter } from '../openapi.ts';

export interface SampleRequest {
  method: string;
  url: string;
  /** How the caller is known: by an API key, by the cookie of a session, or not at all. */
  identity: 'key' | 'session' | 'none';
  /** Set where a session changes something: such a request must come from our own pages. */
  origin: string | null;
  body: { contentType: string; example: unknown } | null;
  answersJson: boolean;
}

export function toSampleRequest(
  serverUrl: string,
  method: string,
  path: string,
  operation: Operation,
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
    body: body ? { contentType: body[0], example: body[1].example } : null,
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
