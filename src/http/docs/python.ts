/** Renders a request in Python 3 with the `requests` package. */
import { formatJson, JSON_TOKEN } from './json.ts';
import type { SampleRequest } from './sample-request.ts';

const WORDS: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

export function renderPython({ method, url, identity, origin, body, answersJson }: SampleRequest): string {
  const isJson = body?.contentType === 'application/json';
  const headers = [
    ...(identity === 'key' ? [`"Authorization": f"Bearer {os.environ['POSTHORN_KEY']}"`] : []),
    ...(origin ? [`"Origin": ${toPython(origin)}`] : []),
    ...(body && !isJson ? [`"Content-Type": ${toPython(body.contentType)}`] : []),
  ];
  const options = [
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(identity === 'session' ? [`cookies={"ph_session": os.environ["POSTHORN_SESSION"]}`] : []),
    ...(body
      ? [
          isJson
            ? `json=${toPython(body.example, '    ')}`
            : body.isFile
              ? `data=open(${toPython(String(body.example))}, "rb")`
              : `data=${toPython(String(body.example))}.encode()`,
        ]
      : []),
  ].map((option) => `    ${option},\n`);
  return `${identity === 'none' ? '' : 'import os\n'}import requests

response = requests.${method.toLowerCase()}(
    ${toPython(url)},
${options.join('')})
response.raise_for_status()
print(response.${answersJson ? 'json()' : 'text'})`;
}

/** JSON differs from Python only in `true`, `false` and `null`. JSON strings are valid in Python. */
function toPython(value: unknown, indent = ''): string {
  return formatJson(value, indent).replaceAll(JSON_TOKEN, (token) => WORDS[token] ?? token);
}
