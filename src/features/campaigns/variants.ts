/** The variants of an A/B test: how they are stored, and how they change the campaign for their recipients. */
import type { Db } from '../../platform/database/database.ts';
import type { CamelRow } from '../../platform/database/rows.ts';
import { presentVariant, type Variant } from '../content/versions/variants.ts';
import type { Campaign } from './campaigns.schema.ts';
import type { TestInput } from './variants.schema.ts';

/** The columns that define the test. */
export interface TestRow extends CamelRow<
  'campaigns',
  'test_percent' | 'decide_by' | 'decide_after_minutes' | 'test_sent_at' | 'winner' | 'decided_at'
> {
  variants: Variant[] | null;
}

const DEFAULT_TEST = { testPercent: 20, decideBy: 'opens', decideAfterMinutes: 240 } as const;

/** The fields that a variant can change. */
interface Varied {
  subject: string;
  sender: string;
  domainId: number;
  previewText: string | null;
  html: string | null;
  plain: string | null;
  content: string | null;
}

/** The campaign as a recipient of this variant gets it. */
export function withVariant<Sendable extends Partial<Varied> & Pick<TestRow, 'variants'>>(
  campaign: Sendable,
  number: number | null,
): Sendable {
  const variant = number === null ? undefined : campaign.variants?.[number];
  if (!variant) return campaign;
  const { subject, sender, domainId, previewText, html, content } = variant;
  const ownContent = html || content ? { html, content, plain: null } : {};
  const own = Object.entries({ subject, sender, domainId, previewText }).filter(
    ([, value]) => value !== null,
  );
  return { ...campaign, ...Object.fromEntries(own), ...ownContent };
}

/** The campaign once for each variant, or the campaign itself. */
export function allVariants<Sendable extends Partial<Varied> & Pick<TestRow, 'variants'>>(
  campaign: Sendable,
): Sendable[] {
  return campaign.variants?.map((_variant, number) => withVariant(campaign, number)) ?? [campaign];
}

/** The columns to store. Null sets the default, and undefined keeps the stored value. */
export async function testValues(
  db: Db,
  input: Partial<TestInput>,
  findDomain: (
    db: Db,
    from: NonNullable<NonNullable<TestInput['variants']>[number]['from']>,
  ) => Promise<number>,
) {
  const { variants, testPercent, decideBy, decideAfterMinutes } = input;
  const stored = variants && (await Promise.all(variants.map(toVariant)));
  const all = {
    variants: stored === undefined ? undefined : stored && JSON.stringify(stored),
    test_percent: testPercent === null ? DEFAULT_TEST.testPercent : testPercent,
    decide_by: decideBy === null ? DEFAULT_TEST.decideBy : decideBy,
    decide_after_minutes: decideAfterMinutes === null ? DEFAULT_TEST.decideAfterMinutes : decideAfterMinutes,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<{
    [Name in keyof typeof all]: Exclude<(typeof all)[Name], undefined>;
  }>;

  async function toVariant(variant: NonNullable<TestInput['variants']>[number]): Promise<Variant> {
    return {
      subject: variant.subject ?? null,
      sender: variant.from?.given ?? null,
      domainId: variant.from ? await findDomain(db, variant.from) : null,
      previewText: variant.previewText || null,
      html: variant.html || null,
      content: variant.html ? null : (variant.content ?? null),
    };
  }
}

type ShownTest = Pick<
  Campaign,
  'variants' | 'testPercent' | 'decideBy' | 'decideAfterMinutes' | 'testSentAt' | 'winner' | 'decidedAt'
>;

export function presentTest(row: TestRow): ShownTest {
  return {
    variants: row.variants?.map(presentVariant) ?? null,
    testPercent: row.testPercent,
    decideBy: row.decideBy,
    decideAfterMinutes: row.decideAfterMinutes,
    testSentAt: row.testSentAt?.toISOString() ?? null,
    winner: row.winner,
    decidedAt: row.decidedAt?.toISOString() ?? null,
  };
}
