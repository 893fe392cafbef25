/** Runs django-anymail's webhook views, if Python has them (`pip install django-anymail[sendgrid,resend]`). */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./anymail-receiver.py', import.meta.url));
/** ANYMAIL_PYTHON names a Python with its own packages, such as that of a virtual environment. */
const PYTHON = process.env['ANYMAIL_PYTHON'] ?? 'python3';

export const hasAnymail = spawnSync(PYTHON, ['-c', 'import anymail, cryptography, svix']).status === 0;

type AnymailEvent = Record<string, unknown> & { vendor: string; type: string };

export interface AnymailReceiver {
  url: string;
  events: AnymailEvent[];
  set(settings: Record<string, string | null>): Promise<void>;
  close(): Promise<void>;
}

export async function startAnymailReceiver(): Promise<AnymailReceiver> {
  const process = spawn(PYTHON, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: process.stdout });
  const [first] = (await once(lines, 'line')) as [string];
  const { port } = JSON.parse(first) as { port: number };
  const events: AnymailEvent[] = [];
  lines.on('line', (line) => events.push(JSON.parse(line) as AnymailEvent));
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    events,
    async set(settings) {
      const response = await fetch(`${url}/settings`, { method: 'POST', body: JSON.stringify(settings) });
      expect(response.status).toBe(200);
    },
    async close() {
      process.kill();
      await once(process, 'exit');
    },
  };
}
