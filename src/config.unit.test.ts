import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

test.each(['?tls=maybe', '?tls=unverified&pool=true', '?insecure'])(
  'a relay with %s is refused, and its password is not repeated',
  (query) => {
    const load = () => loadConfig({ RELAY_URL: `smtp://shop:sesame@relay.example${query}` });
    expect(load).toThrow('RELAY_URL must not have any parameter other than tls=unverified');
    expect(load).not.toThrow('sesame');
  },
);

test('a slash at the end of BASE_URL is dropped, and a path is rejected', () => {
  for (const url of ['https://x.test', 'https://x.test/', 'HTTPS://X.test:443/'])
    expect(loadConfig({ BASE_URL: url }).baseUrl).toBe('https://x.test');
  for (const url of ['https://x.test/mail', 'https://x.test/mail/', 'https://x.test//'])
    expect(() => loadConfig({ BASE_URL: url })).toThrow(
      'BASE_URL must not have a path, because Posthorn needs its own host name',
    );
});

test('two ports with the same number are rejected', () => {
  expect(() => loadConfig({ PORT: '8443', HTTPS_PORT: '8443' })).toThrow('PORT, HTTPS_PORT, SMTP_PORT');
  expect(loadConfig({ PORT: '8080', HTTPS_PORT: '8443' }).httpsPort).toBe(8443);
});

test('a certificate without a key and a key without a certificate are rejected', () => {
  for (const env of [{ SMTP_TLS_CERT: 'cert.pem' }, { SMTP_TLS_KEY: 'key.pem' }])
    expect(() => loadConfig(env)).toThrow('SMTP_TLS_CERT and SMTP_TLS_KEY must be set together');
});

test('BLOB_URL names the store, and its secret is not repeated', () => {
  const { blobUrl } = loadConfig({ BLOB_URL: 's3://key:a%2Fb@s3.test:9000/mail/a/b?region=eu-1&tls=off' });
  expect(blobUrl).toEqual({
    origin: 'http://s3.test:9000',
    bucket: 'mail',
    prefix: 'a/b',
    accessKey: 'key',
    secretKey: 'a/b',
    region: 'eu-1',
    timeoutMs: 30_000,
  });
  for (const rest of [
    's3.test',
    's3.test/',
    's3.test/mail?tls=maybe',
    's3.test/mail?x=1',
    's3.test/mail#x',
    '/m',
  ]) {
    const load = () => loadConfig({ BLOB_URL: `s3://key:sesame@${rest}` });
    expect(load).toThrow('BLOB_URL must');
    expect(load).not.toThrow('sesame');
  }
  expect(() => loadConfig({ BLOB_URL: 's3://s3.test/mail' })).toThrow('must have a host, a key and a secret');
});
