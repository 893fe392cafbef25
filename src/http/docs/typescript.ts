/** Renders a request as a TypeScript module that uses `fetch`. It runs unchanged in Node, Deno and Bun. */
import { formatJson } from './json.ts';
import type { SampleRequest } from './sample-request.ts';

export function renderTypeScript({
  method,
  url,
  identity,
  origin,
  body,
  answersJson,
}: SampleRequest): string {
  const headers = [
    ...(identity === 'key' ? ['Authorization: `Bearer ${process.env.POSTHORN_KEY}`'] : []),
    ...(identity === 'session' ? ['Cookie: `ph_session=${process.env.POSTHORN_SESSION}`'] : []),
    ...(origin ? [`Origin: ${JSON.stringify(origin)}`] : []),
    ...(body ? [`"Content-Type": ${JSON.stringify(body.contentType)}`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: "${method}"`]),
    ...(headers.length > 0 ? [`headers: {\n    ${headers.join(',\n    ')},\n  }`] : []),
    ...(body ? [`body: ${renderBody(body)}`] : []),
  ].map((option) => `  ${option},\n`);
  const imports = body?.isFile ? 'import { readFile } from "node:fs/promises";\n\n' : '';
  return `${imports}const response = await fetch(${JSON.stringify(url)}, {
${options.join('')}});
if (!response.ok) throw new Error(await response.text());
console.log(await response.${answersJson ? 'json' : 'text'}());`;
}

function renderBody({ contentType, example, isFile }: NonNullable<SampleRequest['body']>): string {
  if (isFile) return `await readFile(${JSON.stringify(String(example))})`;
  if (contentType !== 'application/json') return JSON.stringify(String(example));
  return `JSON.stringify(${formatJson(example, '  ')})`;
}
