import { z } from 'zod';
import { pathId, timestamp } from '../../platform/schema.ts';
import { emailAddress, role } from './people.schema.ts';

export const memberSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role,
    createdAt: timestamp.describe('Since when they are in the team'),
    lastSeenAt: timestamp.nullable(),
  })
  .meta({ id: 'Member' });

export const memberList = z.object({ items: z.array(memberSchema) });
export const memberParams = z.object({ memberId: pathId() });
export const memberUpdate = z.object({ role });
export const removed = z.object({ id: z.string(), success: z.boolean() });

const invitationSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    role,
    expiresAt: timestamp,
    createdAt: timestamp,
  })
  .meta({ id: 'Invitation' });

export const createdInvitation = invitationSchema
  .extend({
    link: z.string().describe('To be given to the one invited; shown only in this answer'),
    mailed: z.boolean().describe('Whether the link was also mailed to them'),
  })
  .meta({ id: 'CreatedInvitation' });
export const invitationInput = z.object({ email: emailAddress, role });
export const invitationList = z.object({ items: z.array(invitationSchema) });
export const invitationParams = z.object({ invitationId: pathId() });

export type Member = z.infer<typeof memberSchema>;
export type Invitation = z.infer<typeof invitationSchema>;
export type CreatedInvitation = z.infer<typeof createdInvitation>;
export type InvitationInput = z.output<typeof invitationInput>;
