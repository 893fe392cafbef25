import { route } from '../../api/route.ts';
import { createInvitation, listInvitations, withdrawInvitation } from './invitations.ts';
import { changeRole, listMembers, removeMember } from './members.ts';
import {
  createdInvitation,
  invitationInput,
  invitationList,
  invitationParams,
  memberList,
  memberParams,
  memberSchema,
  memberUpdate,
  removed,
  type Invitation,
  type Member,
} from './members.schema.ts';

const group = 'Members';

const member: Member = {
  id: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h',
  email: 'grace@harbour-books.example',
  name: 'Grace',
  role: 'member',
  proven: true,
  createdAt: '2026-11-15T09:30:00.000Z',
  lastSeenAt: null,
};

const invitation: Invitation = {
  id: 'inv_01kbd8x4zvf7m8rk2q3w5t6y7h',
  email: 'grace@harbour-books.example',
  role: 'member',
  expiresAt: '2026-11-22T09:30:00.000Z',
  createdAt: '2026-11-15T09:30:00.000Z',
};

export const memberRoutes = [
  route({
    operationId: 'listMembers',
    method: 'GET',
    path: '/v1/members',
    scope: 'none',
    group,
    summary: 'List team members',
    permission: 'full',
    role: 'member',
    answer: memberList,
    example: { answer: { items: [member] } },
    handle: async ({ db, teamId }) => ({ items: await listMembers(db, teamId) }),
  }),
  route({
    operationId: 'changeRole',
    method: 'PATCH',
    path: '/v1/members/{memberId}',
    scope: 'none',
    group,
    summary: 'Change a member’s role',
    description:
      'Owners and admins have full access. Members can manage emails, contacts, campaigns, templates and mailboxes, but not API keys, webhooks, people, domains or team settings. Only owners can manage owners, and a team always keeps at least one owner.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: memberParams,
    body: memberUpdate,
    answer: memberSchema,
    example: {
      params: { memberId: member.id },
      body: { role: 'admin' },
      answer: { ...member, role: 'admin' },
    },
    handle: ({ db, teamId, caller, params, body }) =>
      changeRole(db, teamId, caller, params.memberId, body.role),
  }),
  route({
    operationId: 'removeMember',
    method: 'DELETE',
    path: '/v1/members/{memberId}',
    scope: 'none',
    group,
    summary: 'Remove a member',
    description: 'Their sessions in this team end within a second.',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: memberParams,
    answer: removed,
    example: { params: { memberId: member.id }, answer: { id: member.id, success: true } },
    async handle({ db, teamId, caller, facts, params: { memberId } }) {
      await removeMember(db, teamId, caller, memberId);
      facts.hintMail();
      return { id: memberId, success: true };
    },
  }),
  route({
    operationId: 'createInvitation',
    method: 'POST',
    creates: 'members',
    path: '/v1/invitations',
    scope: 'none',
    group,
    summary: 'Invite a member',
    description:
      'Sends a link to the address, from a verified domain of the team or of the team that runs the server. The link works once and expires in 7 days. `link` is null, because only the owner of the address may have it: accepting proves the address. While it cannot be sent (the sandbox is on, or neither team has a verified domain), `link` contains the link, to be passed on, and the account is not proven. A mailbox of the team gets no email, because others can read it; its link is returned too. Nothing is sent to a suppressed address. An address gets at most 5 invitations in 15 minutes. Inviting the same address again creates a new link and invalidates the old one.',
    permission: 'full',
    role: 'admin',
    errors: ['CONFLICT', 'RATE_LIMITED'],
    body: invitationInput,
    answer: createdInvitation,
    example: {
      body: { email: invitation.email, role: 'member' },
      answer: {
        ...invitation,
        link: null,
        mailed: true,
        notMailedBecause: null,
      },
    },
    handle: ({ db, teamId, caller, facts, body }) => createInvitation(db, teamId, caller, facts, body),
  }),
  route({
    operationId: 'listInvitations',
    method: 'GET',
    path: '/v1/invitations',
    scope: 'none',
    group,
    summary: 'List invitations',
    description: 'Invitations that have not been accepted yet, newest first, without their links.',
    permission: 'full',
    role: 'admin',
    answer: invitationList,
    example: { answer: { items: [invitation] } },
    handle: async ({ db, teamId }) => ({ items: await listInvitations(db, teamId) }),
  }),
  route({
    operationId: 'withdrawInvitation',
    method: 'DELETE',
    path: '/v1/invitations/{invitationId}',
    scope: 'none',
    group,
    summary: 'Revoke an invitation',
    permission: 'full',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: invitationParams,
    answer: removed,
    example: { params: { invitationId: invitation.id }, answer: { id: invitation.id, success: true } },
    async handle({ db, teamId, params: { invitationId } }) {
      await withdrawInvitation(db, teamId, invitationId);
      return { id: invitationId, success: true };
    },
  }),
];
