import type { Session } from '../../../src/features/people/people.schema.ts';

export type Role = Session['role'];
