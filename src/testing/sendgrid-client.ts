/** SendGrid's SDK, connected to a test server. Its types declare one client; a test needs one for each key. */
import onlyClient from '@sendgrid/client';
import onlyMail from '@sendgrid/mail';
import { vi } from 'vitest';
import type { TestServer } from './test-server.ts';

const { Client } = onlyClient as unknown as { Client: new () => typeof onlyClient };
const { MailService } = onlyMail as unknown as { MailService: new () => typeof onlyMail };

export interface Sendgrid {
  client: typeof onlyClient;
  mail: typeof onlyMail;
  // oxlint-disable-next-line typescript/no-explicit-any
  call(method: Method, url: string, body?: object): Promise<{ status: number; body: any }>;
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export function connectSendgrid({ url: serverUrl }: TestServer, key: string): Sendgrid {
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
