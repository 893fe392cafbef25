/** Starting PostgreSQL's programs under the right identity, and asking about processes. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { hasCode } from './error-codes.ts';

/**
 * PostgreSQL refuses to run as root. As root it is run by an unprivileged user, or in a user namespace where our
 * files look like an unprivileged user's, so that nothing has to change its owner.
 */
export type RunAs = { how: 'directly' } | { how: 'user'; uid: number; gid: number } | { how: 'namespace' };

export interface Command {
  file: string;
  args: string[];
  options: { uid?: number; gid?: number; cwd: string; env: Record<string, string>; windowsHide: boolean };
}

export function commandFor(
  runAs: RunAs,
  file: string,
  args: string[],
  env?: Record<string, string>,
): Command {
  const options = {
    // Ours may be a folder that the other user cannot enter.
    cwd: '/',
    // Nothing of our own environment: it holds secrets, and PG* variables would change the server.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', ...env },
    windowsHide: true,
  };
  if (runAs.how === 'directly') return { file, args, options };
  if (runAs.how === 'user') return { file, args, options: { ...options, uid: runAs.uid, gid: runAs.gid } };
  // unshare replaces itself by the program, so the pid stays and signals arrive.
  const namespace = ['-U', '--map-user=65534', '--map-group=65534', '--', file, ...args];
  return { file: 'unshare', args: namespace, options };
}

/** Rejects with what the program wrote when it fails. */
export async function runToEnd(command: Command, timeoutMs: number): Promise<void> {
  const { file, args, options } = command;
  await promisify(execFile)(file, args, { ...options, timeout: timeoutMs });
}

/** True as well for a process of someone else, which we may not signal (EPERM). */
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
