import { z } from 'zod';
import { cursorPage, cursorQuery, dateTime, text, timestamp } from '../../platform/schema.ts';

const MAX_FILTER = 200;

const auditEntry = z.object({
  id: z.string(),
  at: timestamp,
  actor: z.object({
    kind: z.enum(['person', 'key', 'operator', 'system']),
    id: z.string().nullable(),
    name: z.string().nullable(),
    ip: z.string().nullable(),
  }),
  action: z.string(),
  target: z.string().nullable(),
  before: z.unknown(),
  after: z.unknown(),
  requestId: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

const filters = {
  actor: text({ min: 1, max: MAX_FILTER })
    .optional()
    .describe('The ID of a user or API key, or a kind: person, key, operator or system.'),
  action: text({ min: 1, max: MAX_FILTER })
    .optional()
    .describe('An action such as domain.created, or the first part of some, such as domain.'),
  target: text({ min: 1, max: MAX_FILTER }).optional().describe('The ID of what was changed.'),
  from: dateTime.optional(),
  to: dateTime.optional(),
};

export const auditQuery = z.object({ ...filters, ...cursorQuery });
export type AuditQuery = z.output<typeof auditQuery>;
export const auditExportQuery = z.object(filters);
export type AuditFilters = z.output<typeof auditExportQuery>;

export const auditPage = cursorPage(auditEntry);
