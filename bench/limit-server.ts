/**
 * The limit program: a plain node:http server that parses, queries and responds, without keys, validation, idempotency,
 * log or metrics. limit.ts starts it; it exits with its parent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { openDatabase } from '../src/platform/database/database.ts';
import { contactLimits } from './contacts.limit.ts';
import { emailLimits } from './emails.limit.ts';
import { answerQuestions } from './forked.ts';
import { rehearse, type LimitRoute } from './limit-route.ts';
import { mailboxLimits } from './mailboxes.limit.ts';

export interface LimitOrder {
  databaseUrl: string;
  teamId: number;
  connections: number;
}

const LONGEST_REST_MS = 120_000;

const ROUTES: Record<string, LimitRoute> = { ...contactLimits, ...emailLimits, ...mailboxLimits };

answerQuestions(async (order) => ({ port: await serve(order as LimitOrder) }));

async function serve(order: LimitOrder): Promise<number> {
  const statements = await recordStatements(order);
  const pool = new pg.Pool({ connectionString: order.databaseUrl, max: order.connections });
  pool.on('error', () => {});

  async function answer(request: IncomingMessage, chunks: Buffer[], response: ServerResponse): Promise<void> {
    const [, name, ...path] = request.url!.split('/');
    const route = ROUTES[name!]!;
    const body: unknown = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
    const values = route.parameters(order.teamId, path, body);
    const result = await pool.query({ name: name!, text: statements.get(name!)!, values });
    const found = route.answer(result.rows, result.rowCount ?? 0);
    const text = JSON.stringify(found ?? null);
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      answer(request, chunks, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
  });
  // A connection is idle while the other side is measured.
  server.keepAliveTimeout = LONGEST_REST_MS;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

async function recordStatements(order: LimitOrder): Promise<Map<string, string>> {
  const database = openDatabase(order.databaseUrl, { connections: 2, onError: () => {} });
  try {
    const rehearsal = rehearse(database, order.teamId);
    const statements = new Map<string, string>();
    for (const [name, route] of Object.entries(ROUTES))
      statements.set(name, await route.statement(rehearsal));
    return statements;
  } finally {
    await database.close();
  }
}
