import { z } from 'zod';
import { timestamp } from '../../../platform/schema.ts';

export const CHECK_NAMES = [
  'spf',
  'dkim',
  'dmarc',
  'return_path',
  'mx',
  'ehlo',
  'ptr',
  'tls_certificate',
  'mta_sts',
  'tls_rpt',
  'bimi',
  'blocklists',
  'one_click',
  'link_host',
] as const;

const checkName = z.enum(CHECK_NAMES);

const healthCheckSchema = z
  .object({
    name: checkName,
    status: z
      .enum(['good', 'watch', 'bad', 'off', 'unknown'])
      .describe('`off`: not used, or of no use here. `unknown`: it could not be looked up'),
    found: z.string().nullable(),
    expected: z.string().nullable(),
    sentence: z.string().describe('What this means, and what to do'),
  })
  .meta({ id: 'DomainHealthCheck' });

export const healthSchema = z
  .object({
    score: z.enum(['good', 'watch', 'bad']),
    next: z
      .object({ name: checkName, sentence: z.string() })
      .nullable()
      .describe('The check to take care of first. Null if there is none'),
    checkedAt: timestamp,
    checks: z.array(healthCheckSchema),
  })
  .meta({ id: 'DomainHealth' });

export type HealthCheck = z.infer<typeof healthCheckSchema>;
export type CheckName = HealthCheck['name'];
export type DomainHealth = z.infer<typeof healthSchema>;
