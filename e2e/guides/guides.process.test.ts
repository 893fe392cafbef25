/** Runs every command and snippet of the guides in docs/guides against a server, and compares the outputs they show. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { freePorts } from '../../src/testing/servers/free-ports.ts';
import { createTestDatabase } from '../../src/testing/test-database.ts';
import { startProgram } from '../running.ts';
import { findDifference } from './compare-output.ts';
import { readGuide } from './read-guide.ts';
import { runGuide } from './run-guide.ts';

const KEY = 'ph_guides0123456789guides0123456789guides';
/** Ports that the guides name: those of Posthorn by their settings, and those of the user's own applications. */
const SETTINGS: Record<string, string> = {
  PORT: '3000',
  SMTP_PORT: '2525',
  SUBMISSION_PORT: '2587',
  SUBMISSIONS_PORT: '2465',
  IMAP_PORT: '2143',
  IMAPS_PORT: '2993',
};
const OWN = ['9001', '9002', '9003', '9004'];

for (const file of readdirSync('docs/guides').filter((name) => name.endsWith('.md'))) {
  test.concurrent(
    `docs/guides/${file} can be followed`,
    { timeout: 600_000 },
    async ({ expect, onTestFinished }) => {
      const database = await createTestDatabase();
      const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-guide-data-'));
      const named = [...Object.values(SETTINGS), ...OWN];
      const ports = await freePorts(named.length);
      const replacements = new Map(named.map((port, index) => [port, String(ports[index])]));
      const env = {
        DATABASE_URL: database.url,
        DATA_DIR: dataDir,
        BOOTSTRAP_API_KEY: KEY,
        WEBHOOK_ALLOW_PRIVATE: 'true',
        LOG_LEVEL: 'error',
        ...Object.fromEntries(
          Object.entries(SETTINGS).map(([name, port]) => [name, replacements.get(port)!]),
        ),
      };
      const program = await startProgram(dataDir, env);
      onTestFinished(async () => {
        await program.stop('SIGTERM');
        await database.drop();
        rmSync(dataDir, { recursive: true, force: true });
      });
      await program.ready();
      const replacePorts = (text: string) =>
        text.replaceAll(/\b\d{4}\b/g, (number) => replacements.get(number) ?? number);
      const replace = (text: string) => replacePorts(text).replaceAll('ph_…', KEY);

      const blocks = readGuide(join('docs/guides', file));
      const { run, notRun, outputs } = await runGuide(blocks, replace, {
        ...env,
        HOME: process.env.HOME ?? dataDir,
      });
      for (const { line, shown, printed, language } of outputs) {
        expect(
          findDifference(replacePorts(shown), printed, language),
          `the output in line ${line}`,
        ).toBeNull();
      }
      console.log(
        `${file}: ${run} blocks run, ${outputs.length} outputs compared, ${notRun.length} not run\n${notRun.map((reason) => `  ${reason}\n`).join('')}`,
      );
    },
  );
}
