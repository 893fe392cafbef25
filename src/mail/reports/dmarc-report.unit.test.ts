import { expect, test } from 'vitest';
import { dmarcXml } from '../../testing/fixtures/dmarc-reports.ts';
import { readDmarcReport } from './dmarc-report.ts';

test('200,000 different rows are read', { timeout: 60_000 }, async () => {
  const rows = Array.from({ length: 200_000 }, (_each, at) => ({
    ip: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`,
  }));
  const xml = Buffer.from(dmarcXml({ domain: 'shop.example', rows }).replaceAll(/>\s+</g, '><'));
  // eslint-disable-next-line @typescript-eslint/require-await -- The pieces come from an archive otherwise.
  async function* pieces() {
    for (let at = 0; at < xml.length; at += 65_536) yield xml.subarray(at, at + 65_536);
  }
  const read = await readDmarcReport(pieces());
  expect(read.rows.length).toBe(200_000);
  expect(read.rows.at(-1)).toEqual({
    messages: 1,
    row: {
      sourceIp: '10.3.13.63',
      disposition: 'none',
      dkimAligned: true,
      spfAligned: true,
      headerFrom: 'shop.example',
      envelopeFrom: null,
      dkim: [{ domain: 'shop.example', selector: 's1', result: 'pass' }],
      spf: [{ domain: 'shop.example', scope: 'mfrom', result: 'pass' }],
      reasons: [],
    },
  });
});
