import { expect, test } from 'vitest';
import { startDnsServer } from '../../../testing/dns-server.ts';
import { startTestServer } from '../../../testing/test-server.ts';

test('in sandbox mode only .test names are verified immediately', async () => {
  const dns = await startDnsServer();
  const sandbox = await startTestServer({ doors: ['http', 'worker'], env: { DNS_SERVERS: dns.address } });
  const own = await sandbox.createTeam();
  const { body: trusted } = await own.call('POST', '/domains', { name: 'shop.test' });
  expect(trusted.status).toBe('NOT_STARTED');
  await own.call('PUT', `/domains/${trusted.id}/verify`);
  expect((await own.call('GET', `/domains/${trusted.id}`)).body).toMatchObject({
    status: 'SUCCESS',
    isVerifying: false,
    dkimStatus: 'SUCCESS',
  });
  const { body: real } = await own.call('POST', '/domains', { name: 'nottest.example' });
  await own.call('PUT', `/domains/${real.id}/verify`);
  expect((await own.call('GET', `/domains/${real.id}`)).body).toMatchObject({
    status: 'PENDING',
    isVerifying: true,
  });
  await sandbox.close();
  await dns.close();
});
