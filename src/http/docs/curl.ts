/** A request as a command for the shell, ready to paste where $POSTHORN_KEY is set. */
import { formatJson } from './json.ts';
import type { SampleRequest } from './sample-request.ts';

export function renderCurl(request: SampleRequest): string {
  const { method, url, body } = request;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quote(url)}`,
    ...showIdentity(request),
    ...(body ? [`-H ${quote(`Content-Type: ${body.contentType}`)}`] : []),
  ];
  if (body) {
    // -d would take the line breaks out of a file; in JSON they mean nothing.
    lines.push(
      body.contentType === 'application/json'
        ? `-d ${quote(formatJson(body.example, '  '))}`
        : `--data-binary ${quote(String(body.example))}`,
    );
  }
  return lines.join(' \\\n  ');
}

/** In double quotes: the shell has to put the key in. */
function showIdentity({ identity, origin }: SampleRequest): string[] {
  if (identity === 'none') return [];
  if (identity === 'key') return ['-H "Authorization: Bearer $POSTHORN_KEY"'];
  return ['-b "ph_session=$POSTHORN_SESSION"', ...(origin ? [`-H ${quote(`Origin: ${origin}`)}`] : [])];
}

export function quote(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
