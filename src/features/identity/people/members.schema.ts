import { z } from 'zod';
import { pathId, timestamp } from '../../../platform/schema.ts';
import { emailAddress, role } from './people.schema.ts';

export const memberSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role,
    proven: z
      .boolean()
      .describe(
        'Whether the person has shown that the address is theirs, by a link that was sent to it. Otherwise the account cannot join other teams',
      ),
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
    link: z.string().nullable().describe('The invitation link, if it could not be sent. Returned only here'),
    mailed: z.boolean().describe('Whether the link was sent to the address'),
    notMailedBecause: z
      .enum(['sandbox', 'no_domain', 'own_mailbox', 'suppressed'])
      .nullable()
      .describe(
        'Why the link was not sent: the sandbox is on, neither the team nor the team that runs the server has a verified domain, the address is a mailbox of the team, or it is suppressed',
      ),
  })
  .meta({ id: 'CreatedInvitation' });
export const invitationInput = z.object({ email: emailAddress, role });
export const invitationList = z.object({ items: z.array(invitationSchema) });
export const invitationParams = z.object({ invitationId: pathId() });

export type Member = z.infer<typeof memberSchema>;
export type Invitation = z.infer<typeof invitationSchema>;
export type CreatedInvitation = z.infer<typeof createdInvitation>;
export type InvitationInput = z.output<typeof invitationInput>;
