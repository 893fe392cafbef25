import { z } from 'zod';
import { pathId, timestamp } from '../../../platform/schema.ts';
import { emailAddress, role } from './people.schema.ts';

export const memberSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role,
    createdAt: timestamp.describe('When they joined the team'),
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
    link: z.string().describe('The invitation link. Returned only here'),
    mailed: z.boolean().describe('Whether the link was also sent by email'),
  })
  .meta({ id: 'CreatedInvitation' });
export const invitationInput = z.object({ email: emailAddress, role });
export const invitationList = z.object({ items: z.array(invitationSchema) });
export const invitationParams = z.object({ invitationId: pathId() });

export type Member = z.infer<typeof memberSchema>;
export type Invitation = z.infer<typeof invitationSchema>;
export type CreatedInvitation = z.infer<typeof createdInvitation>;
export type InvitationInput = z.output<typeof invitationInput>;
