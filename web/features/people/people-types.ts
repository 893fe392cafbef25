export interface Session {
  user: { id: string; email: string; name: string; totpEnabled: boolean; createdAt: string };
  team: { id: number; name: string };
  role: Role;
}

export type Role = 'owner' | 'admin' | 'member';

export interface Member {
  id: string;
  email: string;
  name: string;
  role: Role;
  createdAt: string;
  lastSeenAt: string | null;
}

export interface Invitation {
  id: string;
  email: string;
  role: Role;
  expiresAt: string;
  createdAt: string;
}

export type CreatedInvitation = Invitation & { link: string };
