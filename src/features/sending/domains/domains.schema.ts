import { z } from 'zod';
import { parseDomainName, RECORD_TYPES } from '../../../mail/auth/dns-records.ts';
import { poolsSchema, poolsUpdate } from '../egress/choose-egress.ts';
import { brakeSchema } from './domain-brake.ts';
import { text, timestamp } from '../../../platform/schema.ts';

const domainStatus = z.enum(['NOT_STARTED', 'PENDING', 'SUCCESS', 'FAILED', 'TEMPORARY_FAILURE']);

const dnsRecordSchema = z
  .object({
    type: z.enum(RECORD_TYPES),
    name: z.string().describe('Relative to the registrable domain. `@` is the domain itself'),
    value: z.string(),
    ttl: z.string(),
    priority: z.string().nullable(),
    status: domainStatus,
    recommended: z.boolean().describe('Not required for verification'),
  })
  .meta({ id: 'DnsRecord' });

const trackingSchema = z
  .object({
    host: z.string().nullable().describe('The host of links, such as links.example.com'),
    status: z
      .enum(['NONE', 'WAITING_DNS', 'CAA_BLOCKED', 'ISSUING', 'ACTIVE', 'BROKEN'])
      .describe('Links use the host only while it is ACTIVE, and the host of BASE_URL otherwise'),
    error: z.string().nullable(),
  })
  .meta({ id: 'DomainTracking' });

const policyMode = z.enum(['off', 'testing', 'enforce']);

const serviceRecordSchema = z
  .object({
    type: z.literal('SRV'),
    name: z.string().describe('Relative to the registrable domain'),
    value: z.string().describe('Priority, weight, port and host'),
    ttl: z.string(),
  })
  .meta({ id: 'ServiceRecord' });

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
    serviceRecords: z
      .array(serviceRecordSchema)
      .describe('Optional records with which email apps find the servers of its mailboxes (RFC 6186)'),
    region: z.string(),
    clickTracking: z.boolean(),
    openTracking: z.boolean(),
    tracking: trackingSchema,
    mtaSts: policyMode.describe('The MTA-STS policy that is served for the domain (RFC 8461)'),
    mtaStsAuto: z
      .boolean()
      .describe('`testing` becomes `enforce` after 14 days of TLS reports without a failure'),
    brake: brakeSchema,
    pools: poolsSchema.describe('Which outgoing routes of the server its mail uses. Null: MAIL_TRANSPORT'),
    dkimStatus: domainStatus,
    dkimSelector: z.string().describe('The selector of the key that signs'),
    nextDkimSelector: z
      .string()
      .nullable()
      .describe('The selector of a new key that is waiting for its DNS record'),
    retiredDkimSelector: z
      .string()
      .nullable()
      .describe('The selector of the key that signed before, while its record must stay published'),
    spfDetails: domainStatus.describe('The combined status of the MX and SPF records of the return path'),
    dmarcAdded: z.boolean(),
    isVerifying: z.boolean(),
    errorMessage: z.string().nullable().describe('An internal error'),
    subdomain: z.string().describe('The part before the registrable domain. Empty if there is none'),
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
      error: 'must be a registrable domain or a subdomain of one, such as example.com or mail.example.com',
    })
    .transform((value) => parseDomainName(value)!),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/, { error: 'must have 1 to 32 characters of a-z, 0-9 and -' })
    .nullish()
    .describe('The name of an outbound route, if the server has several'),
});

export const domainUpdate = z.object({
  clickTracking: z.boolean().nullish(),
  openTracking: z.boolean().nullish(),
  trackingSubdomain: z
    .string()
    .max(63)
    .transform((value) => value.trim().toLowerCase())
    .refine((value) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(value), {
      error: 'must be a label of 1 to 63 characters of a-z, 0-9 and -, such as links',
    })
    .nullish()
    .describe(
      'The host of links in emails of the domain: `links` is links.example.com. Null: that of BASE_URL',
    ),
  mtaSts: policyMode.nullish(),
  mtaStsAuto: z.boolean().nullish(),
  pools: poolsUpdate
    .nullish()
    .describe(
      'Names of EGRESS_ settings or pools, or lists of them with weights. Kinds that are not named stay',
    ),
});

const MAX_INT32 = 2 ** 31 - 1;

/** The number of a domain in a path or query. Unknown numbers are not found. */
export const domainNumber = z
  .string()
  .refine((value) => /^-?\d{1,10}$/.test(value) && Math.abs(Number(value)) <= MAX_INT32, {
    error: 'must be a domain ID',
  })
  .transform(Number)
  .meta({ type: 'integer' });

export const domainParams = z.object({ id: domainNumber });
export const domainList = z.array(domainSchema);
export const domainDeleted = z.object({ id: z.int(), success: z.boolean(), message: z.string() });
export const verificationStarted = z.object({ message: z.string() });

export type Domain = z.infer<typeof domainSchema>;
export type DomainStatus = z.infer<typeof domainStatus>;
export type DomainInput = z.output<typeof domainInput>;
export type DomainUpdate = z.output<typeof domainUpdate>;
