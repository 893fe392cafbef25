import { expect, test } from 'vitest';
import type { CampaignFinding } from '../../../../src/features/campaigns/check/check.schema.ts';
import { joinFindings } from './join-findings.ts';

const long: Omit<CampaignFinding, 'message' | 'variant'> = {
  code: 'long_subject',
  level: 'advice',
  places: [],
};
const address: Omit<CampaignFinding, 'variant'> = {
  code: 'no_postal_address',
  level: 'warning',
  message: 'There is no address.',
  places: [],
};

test('findings that several variants share are shown once, in the order of the findings', () => {
  const findings = joinFindings([
    { ...address, variant: 0 },
    { ...long, message: '60 characters.', variant: 0 },
    { ...address, variant: 1 },
    { ...long, message: '70 characters.', variant: 1 },
    { ...address, message: 'For all.', variant: null },
  ]);
  expect(findings.map(({ message, variants }) => [message, variants])).toEqual([
    ['There is no address.', [0, 1]],
    ['60 characters.', [0]],
    ['70 characters.', [1]],
    ['For all.', []],
  ]);
});

test('findings about other places stay apart', () => {
  const findings = [0, 1].map((variant) => ({ ...address, places: [`${variant}.png`], variant }));
  expect(joinFindings(findings)).toHaveLength(2);
});
