/** An operation as a command for the shell, ready to paste where $POSTHORN_KEY is set. */
import type { Operation, Parameter } from '../openapi.ts';
import { formatJson } from './json.ts';

export function renderCurl(serverUrl: string, method: string, path: string, operation: Operation): string {
  const { parameters = [], requestBody } = operation;
  const url = serverUrl + fillPath(path, parameters) + fillQuery(parameters);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(url)}`,
    ...showIdentity(serverUrl, method, operation['x-permission']),
  ];
  for (const [contentType, { example }] of Object.entries(requestBody?.content ?? {})) {
    lines.push(`-H ${quote(`Content-Type: ${contentType}`)}`);
    // -d would take the line breaks out of a file; in JSON they mean nothing.
    lines.push(
      contentType === 'application/json'
        ? `-d ${quote(formatJson(example, '  '))}`
        : `--data-binary ${quote(String(example))}`,
    );
  }
  return lines.join(' \\\n  ');
}

/** In double quotes: the shell has to put the key in. */
function showIdentity(serverUrl: string, method: string, permission: Operation['x-permission']): string[] {
  if (permission === 'anyone') return [];
  if (permission !== 'person') return ['-H "Authorization: Bearer $POSTHORN_KEY"'];
  const origin = method === 'GET' ? [] : [`-H ${quote(`Origin: ${new URL(serverUrl).origin}`)}`];
  return ['-b "ph_session=$POSTHORN_SESSION"', ...origin];
}

export function quote(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
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
