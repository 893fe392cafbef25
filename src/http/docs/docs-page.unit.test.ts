import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { route, type AnyRoute } from '../../features/api/route.ts';
import { renderDocsPage } from './docs-page.ts';
import { renderCurl } from './curl.ts';
import { renderPython } from './python.ts';
import { toSampleRequest } from './sample-request.ts';
import { renderTypeScript } from './typescript.ts';
import { buildOpenApi } from '../openapi/openapi.ts';

const hostile = `</pre><script>alert('x')</script> & "it's"`;

const body = { words: [{ text: `${hostile}\n$HOME \`id\`` }] };

const routes: AnyRoute[] = [
  route({
    operationId: 'sayHello',
    method: 'POST',
    path: '/v1/people/{personId}/hello',
    scope: 'emails.send',
    group: 'Greetings',
    summary: hostile,
    description: `${hostile} with \`<code>\` in it`,
    permission: 'sending',
    role: 'member',
    params: z.object({ personId: z.string().describe(hostile) }),
    query: z.object({ tone: z.enum(['warm', 'dry']).default('warm') }),
    body: z.object({
      words: z.array(z.object({ text: z.string().max(20), loud: z.boolean().optional() })).min(1),
    }),
    answer: z.object({ echo: z.string().nullable().describe(hostile) }),
    example: {
      params: { personId: "o'neil & co/1" },
      query: { tone: 'dry' },
      body,
      answer: { echo: hostile },
    },
    handle: () => Promise.reject(new Error('It is only described here.')),
  }),
];
const openApi = await buildOpenApi(routes, 'https://mail.example.com');
const page = await renderDocsPage(openApi);

test('text from descriptions and examples is escaped', () => {
  expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/api/docs.js" defer>']);
  expect(page).not.toContain('</pre>&lt;script');
  expect(page).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;it&#39;s&quot;');
  expect(page).toContain('<code>&lt;code&gt;</code>');
});

test('fields inside arrays and objects are listed with their path', () => {
  const text = page.replaceAll(/<[^>]*>/g, '');
  expect(text).toMatch(/words\s+array of objects required at least 1 item\s/);
  expect(text).toMatch(/words\[\]\.text\s+string required at most 20 characters\s/);
  expect(text).toMatch(/tone\s+string in the query warm or dry default warm\s/);
  expect(text).toMatch(/echo\s+string or null\s/);
});

const [path, methods] = Object.entries(openApi.paths)[0]!;
const request = toSampleRequest(openApi.servers[0]!.url, 'POST', path, methods.post!);
const url = "https://mail.example.com/api/v1/people/o'neil%20%26%20co%2F1/hello?tone=dry";

test('the curl sample is quoted correctly whatever the example contains', () => {
  const command = renderCurl(request);
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const output = execFileSync('sh', ['-c', script], { env: { POSTHORN_KEY: 'ph_1_2' } }).toString();
  const words = output.split('\0');
  expect(words.slice(0, 8)).toEqual([
    '-X',
    'POST',
    url,
    '-H',
    'Authorization: Bearer ph_1_2',
    '-H',
    'Content-Type: application/json',
    '-d',
  ]);
  expect(JSON.parse(words[8]!)).toEqual(body);
});

test('the TypeScript sample runs and makes the same request', () => {
  const stub = `globalThis.fetch = async (...given) => Response.json(given);
    console.log = (value) => process.stdout.write(JSON.stringify(value));\n`;
  const source = stub + renderTypeScript(request);
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    env: { POSTHORN_KEY: 'ph_1_2' },
  });
  const [calledUrl, options] = JSON.parse(output.toString());
  expect(calledUrl).toBe(url);
  expect(options).toMatchObject({
    method: 'POST',
    headers: { Authorization: 'Bearer ph_1_2', 'Content-Type': 'application/json' },
  });
  expect(JSON.parse(options.body)).toEqual(body);
});

test('the Python sample uses True, False and None', () => {
  const example = { yes: true, no: false, nothing: null, text: 'true and null' };
  const source = renderPython({
    ...request,
    body: { contentType: 'application/json', example, isFile: false },
  });
  expect(source).toBe(`import os
import requests

response = requests.post(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['POSTHORN_KEY']}"},
    json={
      "yes": True,
      "no": False,
      "nothing": None,
      "text": "true and null"
    },
)
response.raise_for_status()
print(response.json())`);
});

test('samples of an upload name the file', () => {
  const upload = { ...request, body: { contentType: 'image/png', example: 'harbour.png', isFile: true } };
  expect(renderCurl(upload)).toContain("--data-binary '@harbour.png'");
  expect(renderPython(upload)).toContain('data=open("harbour.png", "rb")');
  expect(renderTypeScript(upload)).toContain('body: await readFile("harbour.png")');
});
