import type { CampaignFinding } from '../../../../src/features/campaigns/check/check.schema.ts';

export interface JoinedFinding extends Omit<CampaignFinding, 'variant'> {
  /** Empty for a finding about the whole campaign. */
  variants: number[];
}

/** Variants often share their content, and what was found in it is then shown once. */
export function joinFindings(findings: readonly CampaignFinding[]): JoinedFinding[] {
  const joined = new Map<string, JoinedFinding>();
  for (const { variant, ...finding } of findings) {
    const key = JSON.stringify(finding);
    const known = joined.get(key) ?? { ...finding, variants: [] };
    joined.set(key, known);
    if (variant !== null) known.variants.push(variant);
  }
  return [...joined.values()];
}
