import { z } from 'zod';
import { parseDomainName } from '../../mail/dns-records.ts';
import { domainNumber, text, timestamp } from '../../platform/schema.ts';

const domainStatus = z.enum(['NOT_STARTED', 'PENDING', 'SUCCESS', 'FAILED', 'TEMPORARY_FAILURE']);

const dnsRecordSchema = z
  .object({
    type: z.enum(['TXT', 'MX']),
    name: z.string().describe('Relative to the registrable domain; `@` for itself'),
    value: z.string(),
    ttl: z.string(),
    priority: z.string().nullable(),
    status: domainStatus,
    recommended: z.boolean().describe('Not needed for verification'),
  })
  .meta({ id: 'DnsRecord' });

export const domainSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    teamId: z.int(),
    status: domainStatus,
    publicKey: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    dnsRecords: z.array(dnsRecordSchema),
    region: z.string(),
    clickTracking: z.boolean(),
    openTracking: z.boolean(),
    dkimStatus: domainStatus,
    spfDetails: domainStatus.describe('Of the MX and SPF records of the return path together'),
    dmarcAdded: z.boolean(),
    isVerifying: z.boolean(),
    errorMessage: z.string().nullable().describe('What went wrong on our side'),
    subdomain: z.string().describe('What stands before the registrable domain; empty for itself'),
    verificationError: z
      .string()
      .nullable()
      .describe('Which record is wrong, what was expected and what was found'),
    lastCheckedTime: timestamp.nullable(),
  })
  .meta({ id: 'Domain' });

export const domainInput = z.object({
  name: text({ min: 1, max: 253 })
    .refine((value) => parseDomainName(value) !== null, {
      error: 'must be a domain that can be registered, or one below it, as example.com or mail.example.com',
    })
    .transform((value) => parseDomainName(value)!),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, { error: 'must have 1 to 32 characters of a-z, 0-9 and -' })
    .nullish()
    .describe('Chooses the outbound route of that name where one is configured'),
});

export const domainUpdate = z.object({
  clickTracking: z.boolean().nullish(),
  openTracking: z.boolean().nullish(),
});

export const domainParams = z.object({ id: domainNumber });
export const domainList = z.array(domainSchema);
export const domainDeleted = z.object({ id: z.int(), success: z.boolean(), message: z.string() });
export const verificationStarted = z.object({ message: z.string() });

export type Domain = z.infer<typeof domainSchema>;
export type DomainStatus = z.infer<typeof domainStatus>;
export type DomainInput = z.output<typeof domainInput>;
export type DomainUpdate = z.output<typeof domainUpdate>;
