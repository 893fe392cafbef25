/** Runs PostgreSQL's programs as the right user, and checks processes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasCode } from './error-codes.ts';

/**
 * PostgreSQL does not run as root. When Posthorn runs as root, PostgreSQL runs as an unprivileged user, or in a
 * user namespace in which root's files appear to belong to an unprivileged user, so that no file changes its owner.
 */
export type RunAs = { how: 'directly' } | { how: 'user'; uid: number; gid: number } | { how: 'namespace' };

export interface ProcessCommand {
  file: string;
  args: string[];
  options: { uid?: number; gid?: number; cwd: string; env: Record<string, string>; windowsHide: boolean };
}

export function commandFor(
  runAs: RunAs,
  file: string,
  args: string[],
  env?: Record<string, string>,
): ProcessCommand {
  const options = {
    // The other user may have no access to our current folder.
    cwd: '/',
    // Our own environment is not passed on: it holds secrets, and PG* variables would change the server.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', ...env },
    windowsHide: true,
  };
  if (runAs.how === 'directly') return { file, args, options };
  if (runAs.how === 'user') return { file, args, options: { ...options, uid: runAs.uid, gid: runAs.gid } };
  // unshare executes the program in its own process, so the pid stays the same and signals arrive.
  const namespace = ['-U', '--map-user=65534', '--map-group=65534', '--', file, ...args];
  return { file: 'unshare', args: namespace, options };
}

/** Rejects with the program's output if it fails. */
export async function runToEnd(command: ProcessCommand, timeoutMs: number): Promise<void> {
  const { file, args, options } = command;
  await promisify(execFile)(file, args, { ...options, timeout: timeoutMs });
}

/** Also true for a process of another user, which we may not signal (EPERM). */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
