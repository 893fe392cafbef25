/** The SDKs of vendors, connected to a test server. */
import onlyClient from '@sendgrid/client';
import onlyMail from '@sendgrid/mail';
import Mailgun from 'mailgun.js';
import { ServerClient } from 'postmark';
import { Resend } from 'resend';
import { vi } from 'vitest';

interface Server {
  url: string;
}

export function connectResend({ url }: Server, key: string): Resend {
  return new Resend(key, { baseUrl: `${url}/resend` });
}

export type MailgunClient = ReturnType<typeof connectMailgun>;

export function connectMailgun({ url }: Server, key: string) {
  return new Mailgun(FormData).client({ username: 'api', key, url });
}

export function connectPostmark({ url }: Server, key: string): ServerClient {
  return new ServerClient(key, { requestHost: `${url.replace('http://', '')}/postmark`, useHttps: false });
}

// The types of SendGrid's SDK declare one client; a test needs one for each key.
const { Client } = onlyClient as unknown as { Client: new () => typeof onlyClient };
const { MailService } = onlyMail as unknown as { MailService: new () => typeof onlyMail };

export interface Sendgrid {
  client: typeof onlyClient;
  mail: typeof onlyMail;
  // oxlint-disable-next-line typescript/no-explicit-any
  call(method: Method, url: string, body?: object): Promise<{ status: number; body: any }>;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export function connectSendgrid({ url: serverUrl }: Server, key: string): Sendgrid {
  // The SDK warns about keys that are not SendGrid's.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const client = new Client();
  client.setApiKey(key);
  client.setDefaultRequest('baseUrl', `${serverUrl}/sendgrid/`);
  warn.mockRestore();
  const mail = new MailService();
  mail.setClient(client);
  return {
    client,
    mail,
    async call(method, url, body) {
      const [{ statusCode, body: answer }] = await client.request({ method, url, ...(body ? { body } : {}) });
      return { status: statusCode, body: answer };
    },
  };
}
