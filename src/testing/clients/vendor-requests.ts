/** How the clients of each vendor send one email, as plain requests. */
import { expect } from 'vitest';

export interface VendorRequest {
  path: string;
  headers: Record<string, string>;
  /** The body is sent as JSON, unless it is a form. */
  body: Record<string, unknown> | URLSearchParams;
  /** The shape of the vendor's errors. */
  error: object;
}

const anyText = () => expect.any(String) as string;

export function vendorRequests(key: string, domain: string): Record<string, VendorRequest> {
  const [from, to] = [`ada@${domain}`, 'grace@example.com'];
  const bearer = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const plain = { from, to, subject: 'Hello', text: 'Hi' };
  const resend = {
    headers: bearer,
    body: plain,
    error: { statusCode: expect.any(Number), name: anyText(), message: anyText() },
  };
  return {
    resend: { path: '/resend/emails', ...resend },
    'resend at the root': { path: '/emails', ...resend },
    mailgun: {
      path: `/v3/${domain}/messages`,
      headers: { authorization: `Basic ${btoa(`api:${key}`)}` },
      body: new URLSearchParams(plain),
      error: { message: anyText() },
    },
    postmark: {
      path: '/postmark/email',
      headers: { 'x-postmark-server-token': key, 'content-type': 'application/json' },
      body: { From: from, To: to, Subject: 'Hello', TextBody: 'Hi' },
      error: { ErrorCode: expect.any(Number), Message: anyText() },
    },
    sendgrid: {
      path: '/sendgrid/v3/mail/send',
      headers: bearer,
      body: {
        personalizations: [{ to: [{ email: to }] }],
        from: { email: from },
        subject: 'Hello',
        content: [{ type: 'text/plain', value: 'Hi' }],
      },
      error: { errors: expect.arrayContaining([expect.objectContaining({ message: anyText() })]) },
    },
  };
}

/** Sends the request with additional fields. */
export async function sendVendorRequest(
  { url }: { url: string },
  { path, headers, body }: VendorRequest,
  more: Record<string, unknown> = {},
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const whole =
    body instanceof URLSearchParams
      ? new URLSearchParams([...body, ...Object.entries(more as Record<string, string>)])
      : JSON.stringify({ ...body, ...more });
  const response = await fetch(url + path, { method: 'POST', headers, body: whole });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : (JSON.parse(text) as unknown),
  };
}
