/** A browser session with mailboxes: the owner is signed in, and mail arrives over SMTP. */
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startDnsServer } from '../../src/testing/dns-server.ts';
import { writeTo } from '../../src/testing/mail-world.ts';
import { setUpOwner, type TestPerson } from '../../src/testing/people.ts';
import { startWalk, type Walk } from './walk.ts';

export interface MailWalk extends Walk {
  owner: TestPerson;
  /** Adds `harbour.test`, the domain of the mailboxes. */
  addDomain(): Promise<void>;
  createMailbox(local: string, input?: object): Promise<{ id: string; address: string }>;
  /** Sends a complete message to the SMTP port. */
  receive(to: string, message: string): Promise<void>;
  /** Opens a page in the owner's browser. */
  visitMail(path: string, viewport?: { width: number; height: number }): Promise<Page>;
}

export async function startMailWalk(): Promise<MailWalk> {
  const dns = await startDnsServer();
  const walk = await startWalk({ DNS_SERVERS: dns.address });
  const owner = await setUpOwner(walk.server);
  return {
    ...walk,
    owner,
    async addDomain() {
      const { body: domain } = await owner.call('POST', '/domains', { name: 'harbour.test' });
      await owner.call('PUT', `/domains/${domain.id}/verify`);
    },
    async createMailbox(local, input = {}) {
      const { status, body } = await owner.call('POST', '/mailboxes', {
        address: `${local}@harbour.test`,
        ...input,
      });
      expect(status).toBe(200);
      return body;
    },
    async receive(to, message) {
      const { data } = await writeTo(walk.server.smtpPort, to, message);
      expect(data).toMatch(/^250/);
    },
    async visitMail(path, viewport) {
      const page = await walk.visit(undefined, viewport);
      const [name, value] = owner.cookie.split('=') as [string, string];
      await page.context().addCookies([{ name, value, url: walk.server.url }]);
      await page.goto(path);
      return page;
    },
    async close() {
      await walk.close();
      await dns.close();
    },
  };
}

export function soon<Value>(look: () => Value) {
  return expect.poll(look);
}

export function editorOf(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message', exact: true });
}
