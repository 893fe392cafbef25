import { z } from 'zod';
import { FileAnswer, route } from '../api/route.ts';
import { auditExportQuery, auditPage, auditQuery, type AuditEntry } from './audit.schema.ts';
import { exportAudit, exportAuditCsv, listAudit } from './list-audit.ts';
import { verifyAudit } from './verify-audit.ts';

const group = 'Audit log';

const example: AuditEntry = {
  id: 'aud_01kbd8x4zvf7m8rk2q3w5t6y7h',
  at: '2026-11-15T09:30:00.000Z',
  actor: {
    kind: 'person',
    id: 'usr_01kbd8x4zvf7m8rk2q3w5t6y7h',
    name: 'ada@example.com',
    ip: '192.0.2.7',
  },
  action: 'domain.updated',
  target: '1',
  before: { clickTracking: false },
  after: { clickTracking: true },
  requestId: 'b5c5b9e4',
};

export const auditRoutes = [
  route({
    operationId: 'listAudit',
    method: 'GET',
    path: '/v1/audit',
    scope: 'audit.read',
    group,
    summary: 'List the audit log',
    description:
      'Who changed what, newest first. Entries are written in the transaction of the change, without secrets and the content of emails, and are kept as long as the team exists.',
    permission: 'full',
    role: 'admin',
    query: auditQuery,
    answer: auditPage,
    example: { answer: { items: [example], next_cursor: null } },
    handle: ({ db, teamId, query }) => listAudit(db, teamId, query),
  }),
  route({
    operationId: 'exportAudit',
    method: 'GET',
    path: '/v1/audit/export',
    scope: 'audit.read',
    group,
    summary: 'Export the audit log',
    description: 'One JSON object per line, newest first. The export itself is recorded.',
    permission: 'full',
    role: 'admin',
    heavy: 'reads',
    query: auditExportQuery,
    answer: 'application/x-ndjson',
    example: { answer: '' },
    async handle({ db, teamId, query, throwIfDisconnected }) {
      return new FileAnswer(
        'application/x-ndjson',
        'audit.jsonl',
        exportAudit(db, teamId, query, throwIfDisconnected),
      );
    },
  }),
  route({
    operationId: 'exportAuditCsv',
    method: 'GET',
    path: '/v1/audit/export.csv',
    scope: 'audit.read',
    group,
    summary: 'Export the audit log as a CSV file',
    description:
      'The same as CSV (RFC 4180) in UTF-8, with `before` and `after` as JSON. A cell that begins with `=`, `+`, `-` or `@` gets an apostrophe in front, so that no spreadsheet runs it as a formula.',
    permission: 'full',
    role: 'admin',
    heavy: 'reads',
    query: auditExportQuery,
    answer: 'text/csv',
    example: { answer: '' },
    async handle({ db, teamId, query, throwIfDisconnected }) {
      return new FileAnswer('text/csv', 'audit.csv', exportAuditCsv(db, teamId, query, throwIfDisconnected));
    },
  }),
  route({
    operationId: 'verifyAudit',
    method: 'GET',
    path: '/v1/audit/verification',
    scope: 'audit.read',
    group,
    summary: 'Verify the audit log',
    description:
      'Compares all entries with the chain of seals and says what was changed, removed or inserted. `head` is the hash of the last seal, which also goes to the owners by email once a day.',
    permission: 'full',
    role: 'admin',
    heavy: 'reads',
    query: z.object({
      head: z
        .string()
        .regex(/^[0-9a-f]{64}$/, { error: 'must be the 64 hexadecimal digits of a head' })
        .optional()
        .describe('A head from an earlier email. The chain must contain it.'),
    }),
    answer: z.object({
      seals: z.int(),
      entries: z.int(),
      unsealed: z.int(),
      erased: z.int(),
      foreign: z.int(),
      head: z.string().nullable(),
      signedBy: z.string(),
      faults: z.array(z.string()),
    }),
    example: {
      answer: {
        seals: 12,
        entries: 40,
        unsealed: 1,
        erased: 0,
        foreign: 0,
        head: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        signedBy: '2c26b46b68ffc68f',
        faults: [],
      },
    },
    handle: ({ db, teamId, facts, query }) => verifyAudit(db, facts.secret, teamId, query.head ?? null),
  }),
];
