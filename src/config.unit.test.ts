import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

test.each(['?tls=maybe', '?tls=unverified&pool=true', '?insecure'])(
  'a relay with %s is refused, and its password is not repeated',
  (query) => {
    const load = () => loadConfig({ RELAY_URL: `smtp://shop:sesame@relay.example${query}` });
    expect(load).toThrow('RELAY_URL must have no parameter but tls=unverified');
    expect(load).not.toThrow('sesame');
  },
);

test('BASE_URL is a place of its own: a slash at its end is dropped, a path is refused', () => {
  for (const url of ['https://x.test', 'https://x.test/', 'HTTPS://X.test:443/'])
    expect(loadConfig({ BASE_URL: url }).baseUrl).toBe('https://x.test');
  for (const url of ['https://x.test/mail', 'https://x.test/mail/', 'https://x.test//'])
    expect(() => loadConfig({ BASE_URL: url })).toThrow(
      'BASE_URL must have no path: Posthorn needs a host name of its own',
    );
});

test('a certificate without its key is refused, and so is a key alone', () => {
  for (const env of [{ SMTP_TLS_CERT: 'cert.pem' }, { SMTP_TLS_KEY: 'key.pem' }])
    expect(() => loadConfig(env)).toThrow('SMTP_TLS_CERT and SMTP_TLS_KEY must be set together');
});
