import { expect, test } from 'vitest';
import {
  compareRecord,
  parseDomainName,
  recordsOf,
  type RecordRole,
} from '../../../mail/auth/dns-records.ts';
import { evaluateLookups, type RecordLookup } from './verification.ts';

const RECORDS = recordsOf(
  parseDomainName('mail.example.com')!,
  { current: { selector: 'ph1', publicKey: 'KEY' }, next: null, retired: null },
  'mx.example.net',
);
const NOW = new Date('2026-11-15T12:00:00Z');
const HOUR_MS = 3_600_000;

const RIGHT: RecordLookup = { finding: 'right', found: ['x'] };
const LOOKS: Record<string, RecordLookup> = {
  right: RIGHT,
  wrong: { finding: 'wrong', found: ['v=spf1 -all'] },
  absent: { finding: 'absent', found: [] },
  silent: { finding: 'no-answer', reason: 'timeout' },
  twice: { finding: 'wrong', found: ['v=spf1 a:mx.example.net ~all', 'v=spf1 -all'] },
};

function judge(spf: string, dmarc: string, held: boolean, hoursAgo: number, checks = 0) {
  const looks: Record<RecordRole, RecordLookup> = {
    dkim: RIGHT,
    nextDkim: RIGHT,
    retiredDkim: RIGHT,
    bounceMx: RIGHT,
    spf: LOOKS[spf]!,
    dmarc: LOOKS[dmarc]!,
    inboundMx: LOOKS.absent!,
    tracking: RIGHT,
    trackingCaa: RIGHT,
    mtaSts: RIGHT,
    mtaStsHost: RIGHT,
    tlsReports: RIGHT,
  };
  return evaluateLookups(
    RECORDS,
    looks,
    { held, since: new Date(NOW.getTime() - hoursAgo * HOUR_MS), checks, rotatingSince: null },
    NOW,
  );
}

test.each([
  // SPF, DMARC, held before, hours since the start → status, minutes to the next check.
  ['right', 'right', false, 0, 'SUCCESS', 1440],
  ['right', 'absent', false, 0, 'SUCCESS', 1440],
  ['right', 'silent', false, 0, 'SUCCESS', 1440],
  ['right', 'right', true, 100, 'SUCCESS', 1440],
  ['absent', 'right', false, 0, 'PENDING', 1 / 6],
  ['absent', 'right', false, 71.9, 'PENDING', 1 / 6],
  ['absent', 'right', false, 72, 'FAILED', null],
  ['wrong', 'right', false, 0, 'FAILED', null],
  ['silent', 'right', false, 0, 'TEMPORARY_FAILURE', 1 / 6],
  ['silent', 'right', false, 100, 'TEMPORARY_FAILURE', 1 / 6],
  ['silent', 'right', true, 100, 'TEMPORARY_FAILURE', 1 / 6],
  ['absent', 'right', true, 0, 'TEMPORARY_FAILURE', 1 / 6],
  ['wrong', 'right', true, 71.9, 'TEMPORARY_FAILURE', 1 / 6],
  ['wrong', 'right', true, 72, 'FAILED', null],
  ['absent', 'right', true, 72, 'FAILED', null],
])('SPF %s, DMARC %s, held %s, after %s hours: %s', (spf, dmarc, held, hours, status, minutes) => {
  const verdict = judge(spf, dmarc, held, hours);
  expect(verdict.status).toBe(status);
  const gap = verdict.nextCheckAt && (verdict.nextCheckAt.getTime() - NOW.getTime()) / 60_000;
  expect(gap).toBe(minutes);
});

test('the delay between checks grows to an hour', () => {
  const gaps = Array.from({ length: 10 }, (_, checks) => judge('absent', 'right', false, 1, checks)).map(
    ({ nextCheckAt }) => (nextCheckAt!.getTime() - NOW.getTime()) / 1000,
  );
  expect(gaps).toEqual([10, 30, 60, 120, 300, 600, 1800, 3600, 3600, 3600]);
});

test('the error names the record, what was expected and what was found', () => {
  expect(judge('wrong', 'right', false, 0).verificationError).toBe(
    'TXT bounce.mail.example.com: expected "v=spf1 a:mx.example.net ~all", found "v=spf1 -all"',
  );
  expect(judge('absent', 'right', false, 0).verificationError).toContain('found nothing');
  expect(judge('silent', 'right', false, 0).verificationError).toContain('did not respond (timeout)');
});

test.each([
  ['v=spf1 a:mx.example.net ~all', 'right'],
  ['V=SPF1  include:other.example +a:MX.example.net -all', 'right'],
  ['v=spf1 -a:mx.example.net ~all', 'wrong'],
  ['v=spf1 -all a:mx.example.net', 'wrong'],
  ['v=spf10 a:mx.example.net ~all', 'absent'],
])('the SPF record "%s" is %s', (value, finding) => {
  const spf = RECORDS.find(({ role }) => role === 'spf')!;
  expect(compareRecord(spf, [value])).toBe(finding);
  expect(compareRecord(spf, [value, `${value} `])).toBe(finding);
});

test('the error says that a second record is too much', () => {
  expect(judge('twice', 'right', false, 0).verificationError).toMatch(
    /found ".*", "v=spf1 -all" \(only one is allowed\)$/,
  );
});
