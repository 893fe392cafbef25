import { z } from 'zod';
import { record, text, timestamp } from '../../../platform/schema.ts';

const memberRole = z.enum(['admin', 'member']);
const MAX_DOMAINS = 50;
const MAX_GROUPS = 100;

const settings = {
  issuer: text({ min: 1, max: 500, trim: true })
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
      error: 'must be the https URL of an OpenID Connect provider',
    })
    .describe('The issuer identifier: the URL before `/.well-known/openid-configuration`.'),
  clientId: text({ min: 1, max: 500, trim: true }),
  domains: z
    .array(
      text({ min: 1, max: 253, trim: true })
        .transform((domain) => domain.toLowerCase())
        .pipe(z.string()),
    )
    .max(MAX_DOMAINS)
    .describe(
      'Domains that are verified in this team. People with an address there sign in with the provider.',
    ),
  defaultRole: memberRole
    .nullable()
    .describe('The role of new members. `null`: only people in one of the groups can join.'),
  groupsClaim: text({ min: 1, max: 200 }).nullable().describe('The claim with the groups of a person.'),
  groupRoles: record(text({ min: 1, max: 200 }), memberRole, { max: MAX_GROUPS }).describe(
    'The role of each group. With several, the higher one counts.',
  ),
  required: z
    .boolean()
    .describe(
      'Whether members and admins can enter the team only with the provider. Owners keep their password.',
    ),
};

export const signOnInput = z.object({
  ...settings,
  clientSecret: text({ min: 1, max: 1_000 }),
  domains: settings.domains.default([]),
  defaultRole: settings.defaultRole.default('member'),
  groupsClaim: settings.groupsClaim.default(null),
  groupRoles: settings.groupRoles.default({}),
  required: settings.required.default(false),
});
export type SignOnInput = z.output<typeof signOnInput>;

export const signOnSchema = z
  .object({
    issuer: z.string(),
    clientId: z.string(),
    domains: z.array(z.string()),
    defaultRole: memberRole.nullable(),
    groupsClaim: z.string().nullable(),
    groupRoles: z.record(z.string(), memberRole),
    required: z.boolean(),
    redirectUri: z.string().describe('Register it at the provider.'),
    logoutUri: z.string().describe('The back-channel logout URI.'),
    updatedAt: timestamp,
  })
  .meta({ id: 'SingleSignOn' });
export type SignOn = z.infer<typeof signOnSchema>;

export const waysIn = z.object({
  singleSignOn: z.boolean().describe('Whether anybody can sign in with a provider at `/sso/start`'),
  passkeyOrigin: z
    .string()
    .nullable()
    .describe(
      'The address of the pages on which passkeys work: that of BASE_URL. `null`: on none, because passkeys need https and a host name',
    ),
});

export const identityList = z.object({
  items: z.array(
    z.object({
      issuer: z.string(),
      subject: z.string(),
      email: z.string().nullable(),
      createdAt: timestamp,
      lastUsedAt: timestamp,
    }),
  ),
  canLink: z.boolean().describe('Whether there is a provider that can be linked'),
});
export const identityQuery = z.object({
  issuer: text({ min: 1, max: 500 }),
  subject: text({ min: 1, max: 500 }),
});
