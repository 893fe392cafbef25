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
