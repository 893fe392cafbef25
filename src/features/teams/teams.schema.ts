import { z } from 'zod';
import { text, timestamp } from '../../platform/schema.ts';

export const teamSchema = z
  .object({ id: z.int(), name: z.string(), createdAt: timestamp, updatedAt: timestamp })
  .meta({ id: 'Team' });

export const teamUpdate = z.object({ name: text({ min: 1, max: 200, trim: true }).optional() });

export type Team = z.infer<typeof teamSchema>;
export type TeamUpdate = z.infer<typeof teamUpdate>;
