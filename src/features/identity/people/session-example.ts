import type { SignInSession } from './people.schema.ts';

export const sessionExample: SignInSession = {
  user: {
    id: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h',
    email: 'ada@harbour-books.example',
    name: 'Ada',
    totpEnabled: false,
    proven: true,
    language: null,
    createdAt: '2026-11-15T09:30:00.000Z',
  },
  team: { id: 1, name: 'Harbour Books' },
  role: 'owner',
};
