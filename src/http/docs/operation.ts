/** Renders one operation of the API: its description and fields on the left, samples on the right. */
import { markup, prose, type Markup } from '../pages/markup.ts';
import type { Schemas } from '../openapi/openapi-schema.ts';
import type { ApiOperation, OpenApiMedia } from '../openapi/document.ts';
import { renderCurl } from './curl.ts';
import { colourJson, formatJson, shorten } from './json.ts';
import { renderPython } from './python.ts';
import { toSampleRequest } from './sample-request.ts';
import { renderFields, renderParameters } from './schema-table.ts';
import { limitWords, typeWords } from './schema-words.ts';
import { renderTypeScript } from './typescript.ts';

export interface ListedOperation {
  method: string;
  path: string;
  operation: ApiOperation;
}

const LONGEST_EXAMPLE_TEXT = 60;

export function renderOperation(listed: ListedOperation, serverUrl: string, schemas: Schemas): Markup {
  const { method, path, operation } = listed;
  const { operationId: id, summary, description } = operation;
  const request = toSampleRequest(serverUrl, method, path, operation);
  const isTried = operation['x-permission'] !== 'person' && toldInJson(operation);
  return markup`<article id="${id}" class="entry" data-schemas="${schemaNames(operation)}"${isTried ? markup` data-try` : null}>
<div class="text">
<h3><a href="#${id}">${summary}</a></h3>
<p class="path">${renderMethod(method)} <code>${renderPath(`${new URL(serverUrl).pathname}${path}`)}</code></p>
${description ? markup`<p>${prose(description)}</p>` : null}
${renderNotes(operation)}
${renderInput(operation, schemas)}
${renderAnswerFields(operation, schemas)}
${renderErrors(operation)}
</div>
<div class="sample">
<h4>Request</h4>
<pre class="command"><code>${breakAtSlashes(renderCurl(request))}</code></pre>
${renderSource('TypeScript', renderTypeScript(request))}
${renderSource('Python', renderPython(request))}
<h4>Response <span class="status">200</span></h4>
${renderSample(operation.responses['200']!.content)}
</div>
</article>
`;
}

/** Forms send JSON, not files. */
function toldInJson({ requestBody }: ApiOperation): boolean {
  return !requestBody || 'application/json' in requestBody.content;
}

/** The schemas that the operation refers to, for the search. */
function schemaNames(operation: ApiOperation): string {
  const found = JSON.stringify(operation).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return [...new Set([...found].map(([, name]) => name))].join(' ');
}

function renderSource(language: string, source: string): Markup {
  return markup`<details class="source"><summary>${language}</summary><pre class="command"><code>${source}</code></pre></details>`;
}

/** Lets a long URL break between its segments. Text copied from the page has no line breaks. */
function breakAtSlashes(command: string): Markup[] {
  return command.split(/(?=\/[\w{])/).map((part) => markup`<wbr>${part}`);
}

export function renderMethod(method: string): Markup {
  return markup`<span class="method ${method.toLowerCase()}">${method}</span>`;
}

function renderPath(path: string): Markup[] {
  return path
    .split(/(?=\/)|(\{\w+\})/)
    .filter((part) => part)
    .map((part) => (part.startsWith('{') ? markup`<var>${part}</var>` : markup`<wbr>${part}`));
}

const WHO: Record<ApiOperation['x-permission'], Markup> = {
  full: markup`Requires a <b>full-access</b> API key or a session`,
  sending: markup`Accepts <b>any</b> API key, including sending-only keys, or a session`,
  person: markup`Requires a <b>session</b>; API keys are not accepted`,
  anyone: markup`Requires <b>no</b> authentication`,
};

function renderNotes({ parameters = [], ...operation }: ApiOperation): Markup {
  const notes = [WHO[operation['x-permission']]];
  if (operation['x-bound-keys'] === 'kept-to-domain') {
    notes.push(markup`A key limited to one domain works for that domain`);
  }
  if (parameters.some(({ name }) => name === 'Idempotency-Key')) {
    notes.push(markup`Supports <a href="#idempotency">Idempotency-Key</a>`);
  }
  const limit = operation['x-body-limit-bytes'];
  if (limit !== undefined) notes.push(markup`Request body up to ${sizeWords(limit)}`);
  return markup`<ul class="notes">${notes.map((note) => markup`<li>${note}</li>`)}</ul>`;
}

function sizeWords(bytes: number): string {
  const mebibytes = bytes / 1024 ** 2;
  return mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`;
}

function renderInput({ parameters = [], requestBody }: ApiOperation, schemas: Schemas): Markup {
  // The only header, Idempotency-Key, is mentioned in the notes.
  const inUrl = renderParameters(
    parameters.filter((parameter) => parameter.in !== 'header'),
    schemas,
  );
  const parts = inUrl ? [markup`<h4>Parameters</h4>${inUrl}`] : [];
  for (const [contentType, { schema }] of Object.entries(requestBody?.content ?? {})) {
    const isJson = contentType === 'application/json';
    const type = isJson ? typeWords(schema, schemas) : contentType;
    const limits = isJson ? limitWords(schema, schemas) : [];
    const kind =
      type === 'object' ? null : markup` <span class="kind">${[type, ...limits].join(', ')}</span>`;
    parts.push(
      markup`<h4>Body${kind}</h4>${isJson ? renderFields('Body', schema, schemas, 'request') : null}`,
    );
  }
  return markup`${parts}`;
}

function renderAnswerFields({ responses }: ApiOperation, schemas: Schemas): Markup | null {
  const schema = responses['200']!.content['application/json']?.schema;
  const table = schema && renderFields('Response', schema, schemas, 'answer');
  return table ? markup`<details><summary>Response fields</summary>${table}</details>` : null;
}

function renderErrors({ responses }: ApiOperation): Markup {
  const failures = Object.entries(responses).filter(([status]) => status !== '200');
  const rows = failures.flatMap(([status, { content }]) =>
    Object.entries(content['application/json']?.examples ?? {}).map(
      ([code, { summary }]) =>
        markup`<tr><th scope="row">${status} <code>${code}</code></th><td>${prose(summary)}</td></tr>\n`,
    ),
  );
  const inText = failures.some(([, { content }]) => JSON.stringify(content).includes('/ErrorText"'));
  return markup`<details><summary>Errors</summary>
<p>In the <a href="#errors">${inText ? 'text' : 'object'} form</a>.</p>
<table class="errors" aria-label="Errors">
<thead><tr><th scope="col">Status and code</th><th scope="col">When</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
</details>`;
}

function renderSample(content: Record<string, OpenApiMedia>): Markup[] {
  return Object.entries(content).map(([contentType, { example }]) =>
    contentType === 'application/json'
      ? renderJson(shorten(example, LONGEST_EXAMPLE_TEXT))
      : markup`<pre><code>${String(example)}</code></pre>`,
  );
}

export function renderJson(value: unknown): Markup {
  return markup`<pre><code>${colourJson(formatJson(value))}</code></pre>`;
}
