import { expect, test } from 'vitest';
import type { Domain } from '../../../src/features/sending/domains/domains.schema.ts';
import { fullName, listRecords, purposeOf, zoneFile, zoneOfDomain } from './record-names.ts';

const record = (type: 'TXT' | 'MX', name: string, value: string) =>
  ({ type, name, value, ttl: 'Auto', priority: type === 'MX' ? '10' : null }) as Domain['dnsRecords'][number];
const domain = {
  name: 'news.shop.example',
  subdomain: 'news',
  dnsRecords: [
    record('TXT', 'ph1._domainkey.news', `v=DKIM1; k=rsa; p=${'A'.repeat(392)}`),
    record('MX', 'bounce.news', 'mail.shop.example'),
    record('TXT', 'bounce.news', 'v=spf1 a:mail.shop.example ~all'),
    record('TXT', '_dmarc.news', 'v=DMARC1; p=none;'),
    record('MX', 'news', 'mail.shop.example'),
  ],
  serviceRecords: [
    { type: 'SRV', name: '_imaps._tcp.news', value: '0 1 993 mail.shop.example', ttl: 'Auto' },
  ],
} as unknown as Domain;

test('each record has its purpose and its full name', () => {
  expect(domain.dnsRecords.map(purposeOf)).toEqual(['dkim', 'bounceMx', 'spf', 'dmarc', 'inboundMx']);
  expect(domain.serviceRecords.map(purposeOf)).toEqual(['service']);
  expect(zoneOfDomain(domain)).toBe('shop.example');
  expect(fullName({ name: '@' }, 'shop.example')).toBe('shop.example');
  expect(fullName({ name: 'bounce.news' }, 'shop.example')).toBe('bounce.news.shop.example');
});

test('the zone file has full names with a dot, and long texts in parts', () => {
  const lines = zoneFile(domain).split('\n');
  expect(lines[0]).toBe('$ORIGIN shop.example.');
  expect(lines[1]).toMatch(
    /^ph1\._domainkey\.news\.shop\.example\.\t3600\tIN\tTXT\t"v=DKIM1; k=rsa; p=A+" "A+"$/,
  );
  for (const [, text] of lines[1]!.matchAll(/"([^"]*)"/g)) expect(text!.length).toBeLessThanOrEqual(255);
  expect(lines[2]).toBe('bounce.news.shop.example.\t3600\tIN\tMX\t10\tmail.shop.example.');
  expect(lines.at(-2)).toBe('_imaps._tcp.news.shop.example.\t3600\tIN\tSRV\t0 1 993 mail.shop.example.');
  expect(listRecords(domain).split('\n')[1]).toBe('MX\tbounce.news.shop.example\t10\tmail.shop.example');
});
