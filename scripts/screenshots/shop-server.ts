/** A server with a database of its own, and a browser, for scripts that look at the pages. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { APIRequestContext, Browser } from 'playwright-core';
import { loadConfig } from '../../src/config.ts';
import { start } from '../../src/main.ts';
import { openEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts';
import { createLog } from '../../src/platform/log.ts';
import { findBrowser, startBrowser } from '../../src/testing/browser.ts';
import { startDnsServer } from '../../src/testing/dns-server.ts';
import { MAIL_ZONE } from './fill-mail.ts';

const OWNER = { name: 'Ada Lovelace', email: 'ada@harbour-books.example', password: 'correct horse battery' };

export interface Server {
  url: string;
  /** The URL that receives the webhooks. */
  receiverUrl: string;
  setupToken: string;
  pool: pg.Pool;
  smtpPort: number;
}

export async function withShopServer(
  use: (browser: Browser, server: Server) => Promise<void>,
): Promise<void> {
  const executable = findBrowser();
  if (!executable) throw new Error('This needs Chromium.');
  const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-pages-'));
  const dns = await startDnsServer(MAIL_ZONE);
  const postgres = await openEmbeddedPostgres(dataDir, { durable: false });
  const port = await findFreePort();
  const config = {
    ...loadConfig({
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      LOG_LEVEL: 'silent',
      DATA_DIR: dataDir,
      DATABASE_URL: postgres.url,
      DNS_SERVERS: dns.address,
      WEBHOOK_ALLOW_PRIVATE: 'true',
    }),
    smtpPort: 0,
    submissionPort: 0,
    submissionsPort: 0,
    imapPort: 0,
    imapsPort: 0,
  };
  const running = await start(config, createLog('fatal'), ['http', 'smtp', 'worker'], {
    webFolder: 'dist/web',
  });
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  const browser = await startBrowser(executable);
  const receiver = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    await use(browser, {
      url: `http://127.0.0.1:${running.httpPort}`,
      receiverUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks/mail`,
      setupToken: running.firstStart.setupToken!,
      pool,
      smtpPort: running.smtpPort!,
    });
  } finally {
    await browser.close();
    receiver.close();
    await pool.end();
    await running.close();
    await postgres.leave();
    await dns.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The address of images has the port in it, so it must be known before the server starts. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Signs the owner up. */
export async function setUp(request: APIRequestContext, { url, setupToken }: Server): Promise<void> {
  const made = await request.post('/api/v1/auth/setup', {
    data: { token: setupToken, ...OWNER },
    headers: { origin: url },
  });
  if (!made.ok()) throw new Error(await made.text());
}
