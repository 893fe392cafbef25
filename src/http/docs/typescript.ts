/** A request in TypeScript, with the `fetch` of Node, Deno, Bun and browsers. It is a module that runs as it is. */
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
  return `const response = await fetch(${JSON.stringify(url)}, {
${options.join('')}});
if (!response.ok) throw new Error(await response.text());
console.log(await response.${answersJson ? 'json' : 'text'}());`;
}

function renderBody({ contentType, example }: NonNullable<SampleRequest['body']>): string {
  if (contentType !== 'application/json') return JSON.stringify(String(example));
  return `JSON.stringify(${formatJson(example, '  ')})`;
}
