/**
 * Runs the blocks of a guide as a user does: in one shell, from the top to the bottom, in an empty folder. Variables,
 * functions and background processes last until the end of the guide.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Block } from './read-guide.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface GuideRun {
  run: number;
  /** Blocks that cannot be run, with their reasons. */
  notRun: string[];
  /** The blocks whose output the guide shows, with what they printed. */
  outputs: { line: number; shown: string; language: string; printed: string }[];
}

export async function runGuide(
  blocks: Block[],
  replace: (text: string) => string,
  env: Record<string, string>,
): Promise<GuideRun> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-guide-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const programs = join(folder, 'programs');
    const { steps, notRun, outputs } = planGuide(blocks);
    writeFileSync(join(folder, 'guide.sh'), toScript(steps, folder, replace));
    spawnSync('mkdir', [programs]);
    writeFileSync(join(programs, 'npx'), npxScript(), { mode: 0o755 });
    await runScript(folder, { ...env, PATH: `${programs}${delimiter}${process.env.PATH}` });
    return {
      run: steps.length,
      notRun,
      outputs: outputs.map(({ of, shown }) => ({
        line: shown.line,
        language: shown.language,
        shown: shown.text,
        printed: readFileSync(join(folder, `out.${of.line}`), 'utf8'),
      })),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `npx posthorn` runs this checkout; other packages come from its node_modules. */
function npxScript(): string {
  return `#!/bin/sh
if [ "$1" = posthorn ]; then shift; exec '${process.execPath}' '${ROOT}bin/posthorn.js' "$@"; fi
exec '${ROOT}node_modules/.bin/'"$@"
`;
}

function planGuide(blocks: Block[]) {
  const steps: Block[] = [];
  const notRun: string[] = [];
  const outputs: { of: Block; shown: Block }[] = [];
  let last: Block | null = null;
  for (const block of blocks) {
    if (block.isOutput) {
      if (last) outputs.push({ of: last, shown: block });
      continue;
    }
    const missing = block.needs && !isInstalled(block.needs) ? `${block.needs} is not installed` : null;
    const reason = block.notRun ?? missing;
    last = null;
    if (reason) notRun.push(`line ${block.line}: ${reason}`);
    else if (block.language !== 'sh' && !block.file) {
      throw new Error(`The block in line ${block.line} has no file name, and no reason why it is not run.`);
    } else {
      steps.push(block);
      last = block;
    }
  }
  return { steps, notRun, outputs };
}

function isInstalled(program: string): boolean {
  return spawnSync('which', [program]).status === 0;
}

function toScript(steps: Block[], folder: string, replace: (text: string) => string): string {
  const parts = steps.map((block) => {
    if (block.file) {
      const stored = join(folder, `block.${block.line}`);
      writeFileSync(stored, `${replace(block.text)}\n`);
      return `cp '${stored}' '${block.file}'`;
    }
    // The braces keep the block in this shell, so that its variables stay.
    return `echo ${block.line} > current\n{\n${replace(block.text)}\n} > out.${block.line} 2> err.${block.line}`;
  });
  return `set -euo pipefail\n${parts.join('\n')}\necho done > current\n`;
}

async function runScript(folder: string, env: Record<string, string>): Promise<void> {
  // The shell has a process group of its own, so that its background processes can be ended with it.
  const shell = spawn('bash', ['guide.sh'], { cwd: folder, env, detached: true, stdio: 'ignore' });
  const ended = once(shell, 'exit');
  // Ends a shell that hangs, before the test times out.
  const tooLong = setTimeout(() => endGroup(shell.pid!), 540_000);
  await ended;
  clearTimeout(tooLong);
  endGroup(shell.pid!);
  const line = readFileSync(join(folder, 'current'), 'utf8').trim();
  if (line === 'done') return;
  const read = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  throw new Error(`The block in line ${line} failed:\n${read(`err.${line}`)}\n${read(`out.${line}`)}`);
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes have ended.
  }
}
