/** The introduction of the documentation, with the rules for all operations. */
import { markup, prose, type Markup } from '../pages/markup.ts';
import { quote } from './curl.ts';
import { renderJson } from './operation.ts';

export interface Chapter {
  id: string;
  title: string;
  text: Markup;
  sample: Markup;
}

export function renderChapter({ id, title, text, sample }: Chapter): Markup {
  return markup`<article id="${id}" class="entry">
<div class="text">
<h3><a href="#${id}">${title}</a></h3>
${text}
</div>
<div class="sample">
${sample}
</div>
</article>
`;
}

function paragraphs(...texts: string[]): Markup {
  return markup`${texts.map((text) => markup`<p>${prose(text)}</p>\n`)}`;
}

function listing(title: string, text: string): Markup {
  return markup`<h4>${title}</h4><pre><code>${text}</code></pre>\n`;
}

function answer(title: string, value: unknown): Markup {
  return markup`<h4>${title}</h4>${renderJson(value)}\n`;
}

export const PYTHON_CLIENT_CONFIG = `content_type_overrides:
  text/csv: application/octet-stream
  message/rfc822: application/octet-stream
  application/x-apple-aspen-config: application/octet-stream`;

const CLIENT_LIBRARIES: Chapter = {
  id: 'client-libraries',
  title: 'Client libraries',
  text: paragraphs(
    'For TypeScript and JavaScript there is `posthorn-client`. For other languages, generate a client from the OpenAPI document at `/api/v1/openapi.json`: what oapi-codegen (Go), openapi-python-client (Python) and openapi-typescript generate from it compiles.',
    'openapi-python-client knows few content types. With this file as its `--config`, it also returns the files of responses and sends CSV files as such.',
  ),
  sample: listing('config.yml for openapi-python-client', PYTHON_CLIENT_CONFIG),
};

export function introductionChapters(apiUrl: string): Chapter[] {
  const curl = `curl ${quote(`${apiUrl}/team`)} \\\n  -H "Authorization: Bearer $POSTHORN_KEY"`;
  return [
    {
      id: 'authentication',
      title: 'Authentication',
      text: markup`${paragraphs(
        'Send an API key of your team with every request, in the header `Authorization: Bearer <key>`. Posthorn prints a key when it starts for the first time. To create another one, run this on the server:',
      )}<pre><code>npx posthorn key create --team 1 --permission full</code></pre>
${paragraphs(
  'A key has the permission `full`, or `sending` for an application that only sends emails. A key can also be limited to one domain. It then works only with that domain and its emails, campaigns and mailboxes; other requests get `403`.',
  'A request without a valid key gets `401`. A request that the key does not allow gets `403`.',
  'The dashboard uses the same API with the session of the signed-in user, stored in the cookie `ph_session`. The session is used if there is no `Authorization` header. Requests that change data with a session must come from Posthorn’s own pages. Each operation lists the roles that can use it (`x-roles`). Members cannot change API keys, webhooks, people, domains or settings.',
)}`,
      sample: markup`${listing('Store the key in your shell', "export POSTHORN_KEY='ph_…'")}${listing('Get your team', curl)}`,
    },
    {
      id: 'requests',
      title: 'Requests and responses',
      text: paragraphs(
        'Requests and responses are JSON in UTF-8. Every successful request returns `200`. Unknown fields in a request are ignored. A field without a value is returned as `null`, never left out. New fields may be added to responses over time.',
        'Times are returned in RFC 3339 format, in UTC with milliseconds. Times in requests must have a UTC offset; any offset is accepted.',
        'Lengths are counted in Unicode code points. A request body can be at most 2 MiB unless the operation has a different limit.',
        'You can only access resources of your own team. Requests for resources of another team get `404`.',
      ),
      sample: answer('An empty field and a time', { expiresAt: null, createdAt: '2026-11-15T09:30:00.000Z' }),
    },
    {
      id: 'errors',
      title: 'Errors',
      text: markup`${paragraphs(
        'The message says what is wrong and how to fix it. Most operations use the object form. If the input is invalid, `issues` can list each invalid field.',
        'A few operations use the text form for all of their errors. The error list of each operation shows which form it uses.',
        'An unknown path returns `404`. A known path with an unsupported method returns `405` with an `Allow` header. Every response has an `X-Request-Id` header, which also appears in the server log.',
      )}`,
      sample: markup`${answer('Object form', {
        error: {
          code: 'BAD_REQUEST',
          message: 'name is required.',
          issues: [{ path: '/name', message: 'is required' }],
        },
      })}${answer('Text form', { error: 'Contact book not found' })}`,
    },
    {
      id: 'idempotency',
      title: 'Idempotency keys',
      text: paragraphs(
        'To retry a `POST`, `PUT` or `PATCH` request safely, send the header `Idempotency-Key` with 1 to 256 characters of your choice. If you repeat the request within 24 hours, for example after a lost connection, it is not executed again. You get the first response with `Idempotency-Replayed: true`.',
        'Two requests are the same if their method, path and body are equal. A different request with the same key gets `422`. A request that arrives while the first one is still in progress gets `409`. Only successful responses are stored, so you can reuse a key after an error.',
      ),
      sample: listing('Header', "-H 'Idempotency-Key: order-1204-receipt'"),
    },
    {
      id: 'lists',
      title: 'Lists and cursors',
      text: paragraphs(
        'Long lists are returned in pages, newest first unless stated otherwise. `limit` can be 1 to 100, and the default is 50. If `next_cursor` is not `null`, there are more items. Send it as `cursor` to get the next page.',
      ),
      sample: markup`${listing('Next page', '?limit=50&cursor=con_01kbd8x4zvf7m8rk2q3w5t6y7h')}${answer(
        'Response',
        {
          items: ['…'],
          next_cursor: 'con_01kbd8x4zvf7m8rk2q3w5t6y7h',
        },
      )}`,
    },
    {
      id: 'rate-limit',
      title: 'Rate limit',
      text: paragraphs(
        'There is no rate limit unless the operator has set one. It applies per team and minute. `RateLimit-Policy` shows the limit, and `RateLimit` shows the remaining requests (`r`) and the seconds until the limit resets (`t`). Requests over the limit get `429` with a `Retry-After` header.',
      ),
      sample: listing('Headers', 'RateLimit-Policy: "team";q=600;w=60\nRateLimit: "team";r=599;t=60'),
    },
    CLIENT_LIBRARIES,
  ];
}
