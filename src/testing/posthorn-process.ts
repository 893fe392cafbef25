/** Runs the built server in a process of its own, as an operator does. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { freePorts } from './servers/free-ports.ts';

export interface ProcessResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface PosthornProcess {
  child: ChildProcess;
  ended: Promise<ProcessResult>;
  /** Resolves when standard output contains the text; rejects if the process exits before. */
  says(text: string): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('../../bin/posthorn.js', import.meta.url));

/** The environment of the tests is not passed on, so that no test depends on the machine's settings. */
export function startPosthorn(
  args: string[],
  env: Record<string, string>,
  options: { cwd?: string; uid?: number; stderrFile?: string } = {},
): PosthornProcess {
  const stderrTo = options.stderrFile === undefined ? 'pipe' : openSync(options.stderrFile, 'w');
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: options.cwd ?? tmpdir(),
    uid: options.uid,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', stderrTo],
  });
  if (typeof stderrTo === 'number') closeSync(stderrTo);
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<ProcessResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (stdout.includes(text)) resolve();
        };
        child.stdout!.on('data', look);
        look();
        ended.then((end) => reject(new Error(`It ended: ${JSON.stringify(end)}`)), reject);
      }),
  };
}

export function runPosthorn(
  args: string[],
  env: Record<string, string>,
  options: { cwd?: string; uid?: number } = {},
): Promise<ProcessResult> {
  return startPosthorn(args, env, options).ended;
}

/** Each run has its own ports: doctor opens them for a moment, and several may run at the same time. */
export async function runDoctor(env: Record<string, string>): Promise<ProcessResult> {
  const [PORT, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT] = (await freePorts(4)).map(String);
  const ports = { PORT, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT } as Record<string, string>;
  return runPosthorn(['doctor'], { ...ports, ...env });
}
