/**
 * Writes the data of the built version to `e2e/upgrade/`: a backup of an instance with some of everything, and what its
 * API says. `npm run release` runs it, so that the next version is tested with the data of this one.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startProgram } from '../running.ts';
import { fillInstance, readInstance, SAMPLE_KEY } from './sample-data.ts';

const FOLDER = 'e2e/upgrade';
const dataDir = mkdtempSync(join(tmpdir(), 'posthorn-sample-'));
try {
  const program = await startProgram(dataDir, { BOOTSTRAP_API_KEY: SAMPLE_KEY });
  let shown;
  try {
    await program.ready();
    const call = program.call(SAMPLE_KEY);
    await fillInstance(call);
    shown = await readInstance(call);
  } finally {
    await program.stop('SIGTERM');
  }
  rmSync(join(FOLDER, 'data.backup'), { force: true });
  const options = { env: { PATH: process.env.PATH, DATA_DIR: dataDir }, stdio: 'inherit' } as const;
  execFileSync(process.execPath, ['bin/posthorn.js', 'backup', resolve(FOLDER, 'data.backup')], options);
  writeFileSync(join(FOLDER, 'data.json'), `${JSON.stringify(shown, null, 2)}\n`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
