/** Answers the consent page of OAuth, as a person in a browser does. */
import { expect } from 'vitest';

export interface Choice {
  scopes?: string[];
  mailboxes?: string[];
  policy?: string;
  decision?: string;
  change?: (form: URLSearchParams) => void;
  headers?: Record<string, string>;
}

/** Opens the page and sends its form. */
export async function consent(url: URL, cookie: string, choice: Choice = {}): Promise<Response> {
  const { mailboxes, policy = 'new', decision = 'allow', change, headers = {} } = choice;
  const page = await fetch(url, { headers: { cookie } });
  const html = await page.text();
  expect([page.status, page.headers.get('content-security-policy')]).toEqual([
    200,
    expect.stringContaining("frame-ancestors 'none'"),
  ]);
  const hidden = [...html.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const form = new URLSearchParams(
    hidden.map(([, name, value]): [string, string] => [name!, value!.replaceAll('&amp;', '&')]),
  );
  const offered = [...html.matchAll(/name="allowed" value="([^"]*)"/g)].map(([, scope]) => scope!);
  for (const scope of choice.scopes ?? offered) form.append('allowed', scope);
  form.set('reach', mailboxes ? 'chosen' : 'open');
  for (const mailbox of mailboxes ?? []) form.append('mailbox', mailbox);
  const offersNew = html.includes('name="policy" value="new"');
  form.set(
    'policy',
    policy === 'new' && !offersNew ? /name="policy" value="(pol_[^"]*)"/.exec(html)![1]! : policy,
  );
  form.set('decision', decision);
  change?.(form);
  return fetch(url.origin + url.pathname, {
    method: 'POST',
    body: form,
    headers: { cookie, origin: url.origin, ...headers },
    redirect: 'manual',
  });
}
