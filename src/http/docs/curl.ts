/** Renders a request as a shell command that uses $POSTHORN_KEY. */
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
    // -d removes line breaks, which does no harm in JSON but would change a file.
    lines.push(
      body.contentType === 'application/json'
        ? `-d ${quote(formatJson(body.example, '  '))}`
        : `--data-binary ${quote(`${body.isFile ? '@' : ''}${String(body.example)}`)}`,
    );
  }
  return lines.join(' \\\n  ');
}

/** The key is in double quotes, so that the shell expands it. */
function showIdentity({ identity, origin }: SampleRequest): string[] {
  if (identity === 'none') return [];
  if (identity === 'key') return ['-H "Authorization: Bearer $POSTHORN_KEY"'];
  return ['-b "ph_session=$POSTHORN_SESSION"', ...(origin ? [`-H ${quote(`Origin: ${origin}`)}`] : [])];
}

export function quote(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
