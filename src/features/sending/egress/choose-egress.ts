/**
 * Chooses the way out of an email. The choice depends on the domain, the kind of mail and the recipient alone, so the
 * emails of a thread or of a run, and all retries, keep theirs. Rendezvous hashing: when a pool changes, only the
 * recipients move that have to.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { nameInSetting } from '../../../platform/names-in-settings.ts';
import type { Egresses } from '../../instance/facts.ts';

export const MAIL_KINDS = ['transactional', 'campaign', 'automation'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

const name = z.string().regex(/^[a-z0-9-]{1,32}$/, { error: 'must be the name of an egress or a pool' });
export const givenName = z.string().max(32).transform(nameInSetting);
const givenEgress = givenName.pipe(name);

function choiceOf<Name extends z.ZodType<string>>(egress: Name) {
  const members = z.array(z.object({ egress, weight: z.int().min(1).max(1_000).default(1) }));
  return z.union([egress, members.min(1).max(20)]).nullable();
}

const choice = choiceOf(name);
export const poolsSchema = z
  .object({
    transactional: choice.describe('Single emails, replies and confirmations'),
    campaign: choice,
    automation: choice,
  })
  .meta({ id: 'DomainPools' });

const givenChoice = choiceOf(givenEgress).optional();
export const poolsUpdate = z.object({
  transactional: givenChoice,
  campaign: givenChoice,
  automation: givenChoice,
});

export type Pools = z.infer<typeof poolsSchema>;
type Choice = Pools[MailKind];

interface Member {
  egress: string;
  weight: number;
}

/** Names that are not in the settings are left out. */
export function membersOf(given: Choice | undefined, { ways, pools }: Egresses): Member[] {
  const named = typeof given === 'string' ? (pools[given] ?? [{ egress: given, weight: 1 }]) : (given ?? []);
  return named.filter(({ egress }) => ways.some((way) => way.name === egress));
}

/** Returns the first name that is not in the settings, or null. */
export function findUnknownName(given: Choice | undefined, egresses: Egresses): string | null {
  const { ways, pools } = egresses;
  if (typeof given === 'string')
    return Object.hasOwn(pools, given) || ways.some((way) => way.name === given) ? null : given;
  return given?.find(({ egress }) => !ways.some((way) => way.name === egress))?.egress ?? null;
}

/** Returns null for MAIL_TRANSPORT. */
export function chooseEgress(members: Member[], key: string): string | null {
  let best: { egress: string; score: number } | null = null;
  for (const { egress, weight } of members) {
    const share =
      (createHash('sha256').update(`${egress} ${key}`).digest().readUInt32BE(0) + 1) / (2 ** 32 + 1);
    const score = -weight / Math.log(share);
    if (!best || score > best.score) best = { egress, score };
  }
  return best?.egress ?? null;
}

export function presentPools(stored: unknown): Pools {
  return { transactional: null, campaign: null, automation: null, ...(stored as Partial<Pools>) };
}
