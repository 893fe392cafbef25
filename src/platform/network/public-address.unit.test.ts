import { expect, test } from 'vitest';
import { isPrivateHost, isPublicAddress } from './public-address.ts';

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::7f00:1',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'not an address',
  '',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test.each([
  '1.1.1.1',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.169.0.1',
  '223.255.255.255',
  '2606:4700::1',
  '2a00:1450::1',
])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

test.each([
  'http://localhost',
  'http://LOCALHOST:8080',
  'http://localhost.',
  'http://app.localhost',
  'http://127.1',
  'http://2130706433',
  'http://0x7f000001',
  'http://0177.0.0.1',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://169.254.169.254',
  'http://①②⑦.0.0.1',
])('the host of %s is private', (url) => expect(isPrivateHost(new URL(url).hostname)).toBe(true));

test.each(['http://example.com', 'http://1.1.1.1', 'http://[2606:4700::1]', 'http://notlocalhost'])(
  'the host of %s is not private',
  (url) => expect(isPrivateHost(new URL(url).hostname)).toBe(false),
);
