/** What holds for every operation, told once, before the first of them. */
import { markup, prose, type Markup } from '../markup.ts';
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

export function introduce(apiUrl: string): Chapter[] {
  const curl = `curl ${quote(`${apiUrl}/team`)} \\\n  -H "Authorization: Bearer $POSTHORN_KEY"`;
  return [
    {
      id: 'authentication',
      title: 'Authentication',
      text: markup`${paragraphs(
        'Send an API key of your team with every request, in the header `Authorization: Bearer <key>`. The first start of Posthorn prints one; on its machine this makes another:',
      )}<pre><code>npx posthorn key create --team 1 --permission full</code></pre>
${paragraphs(
  'A key has the permission `full`, or `sending` for a program that only sends mail. It may also be bound to one domain: then it works with that domain, its emails, campaigns and mailboxes, and gets `403` elsewhere.',
  'Without a valid key the answer is `401`, with a key that may not do this `403`.',
  'The dashboard calls the same API with the session of whoever is signed in, kept in the cookie `ph_session`. It counts where there is no `Authorization` header; a request that changes something must then come from our own pages. What each role may do stands with each operation (`x-roles`): members of a team may not change its keys, webhooks, people, domains or settings.',
)}`,
      sample: markup`${listing('Keep the key in your shell', "export POSTHORN_KEY='ph_…'")}${listing('Ask who you are', curl)}`,
    },
    {
      id: 'requests',
      title: 'Requests, answers, times',
      text: paragraphs(
        'JSON in, JSON out, in UTF-8. Every success is `200`. Fields that we do not know are ignored; a field without a value comes back as `null` and is never missing. Answers may gain fields over time.',
        'Times go out as RFC 3339 in UTC with milliseconds. They come in with any offset, but never without one.',
        'A character is a Unicode code point. A body has at most 2 MiB where its operation names no other limit.',
        'Whatever belongs to another team does not exist for yours: asking for it is `404`.',
      ),
      sample: answer('No value, and a time', { expiresAt: null, createdAt: '2026-11-15T09:30:00.000Z' }),
    },
    {
      id: 'errors',
      title: 'Errors',
      text: markup`${paragraphs(
        'The message is a sentence that says what to change. Most operations use the object form; where the input was wrong, `issues` may point to each fault in it.',
        'The text form is used by a few operations, for each of their errors. An operation uses one form only, and its list of errors says which.',
        'An unknown path is `404`, a known path with another method `405` with `Allow`. Every answer has an `X-Request-Id`, which the log of the server has too.',
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
        'Give a `POST`, `PUT` or `PATCH` the header `Idempotency-Key` with 1 to 256 characters of your own, and you can send it again after a broken connection: it does its work once. The same request gets its first answer again for 24 hours, with `Idempotency-Replayed: true`.',
        'Method, path and body make the request. Another one with the same key is `422`; one that comes while the first is under way is `409`. Only successes are kept: after an error the key is free.',
      ),
      sample: listing('Header', "-H 'Idempotency-Key: order-1204-receipt'"),
    },
    {
      id: 'lists',
      title: 'Lists and cursors',
      text: paragraphs(
        'Long lists come in pages, newest first unless said otherwise. `limit` takes 1 to 100 and is 50 when left out. While `next_cursor` is not `null` there is more: send it as `cursor` with the next request.',
      ),
      sample: markup`${listing('Next page', '?limit=50&cursor=con_01kbd8x4zvf7m8rk2q3w5t6y7h')}${answer(
        'Answer',
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
        'There is none unless the operator has set one. Then it is counted per team and minute: `RateLimit-Policy` tells the limit, `RateLimit` what is left (`r`) and for how many seconds (`t`). Over it the answer is `429`, and `Retry-After` says how long to wait.',
      ),
      sample: listing('Headers', 'RateLimit-Policy: "team";q=600;w=60\nRateLimit: "team";r=599;t=60'),
    },
  ];
}
