/**
 * Who runs PostgreSQL, with which binaries. An ordinary user simply does. For root it is, in this order:
 *
 * a. the unprivileged user, if it can reach the binaries and the data folder;
 * b. a user namespace, where nothing changes its owner;
 * c. the unprivileged user again, with the cluster and a copy of the binaries outside of the data folder.
 *
 * A data folder that is private to root may be shared with the user's group (0710): at once if we made it, for an
 * unprivileged user holds less power than a namespace of root's; else only after (b), to keep the data inside.
 * A cluster that exists is run by its owner for as long as that works.
 */
import { chmod, chown, lchown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { copyBinaries, programPath, usableBinaries } from './binaries.ts';
import { homeAt, nameFor } from './home.ts';
import type { Home } from './home.ts';
import { commandFor, isRoot, runToEnd } from './processes.ts';
import type { RunAs } from './processes.ts';

/** What the machine offers. */
export interface Machine {
  nativeDir: string;
  namespaces: boolean;
  /** The place for clusters that cannot be in their data folder. */
  outsideDir: string;
}

export interface Runner {
  nativeDir: string;
  runAs: RunAs;
}

type User = Extract<RunAs, { how: 'user' }>;

/** For a data folder without a cluster. */
export async function chooseHome(machine: Machine, dataDir: string, isNew: boolean): Promise<Home & Runner> {
  const nativeDir = await usableBinaries(machine.nativeDir, dataDir);
  const inside = homeAt(dataDir, dataDir);
  if (!isRoot()) return { ...inside, nativeDir, runAs: { how: 'directly' } };
  const user = await unprivilegedUser();
  const runAs = await chooseInside(machine, { nativeDir, dataDir, isNew, user });
  if (runAs) return { ...inside, nativeDir, runAs };

  const baseDir = path.join(machine.outsideDir, nameFor(dataDir));
  await mkdir(machine.outsideDir, { recursive: true, mode: 0o755 });
  await mkdir(baseDir, { recursive: true, mode: 0o700 });
  await chown(baseDir, user.uid, user.gid);
  return {
    ...homeAt(dataDir, baseDir),
    nativeDir: await outsideBinaries(machine, baseDir, user),
    runAs: user,
  };
}

/** For a cluster that exists. */
export async function runnerOf(machine: Machine, home: Home): Promise<Runner> {
  if (!isRoot()) {
    return { nativeDir: await usableBinaries(machine.nativeDir, home.dataDir), runAs: { how: 'directly' } };
  }
  const owner = await stat(home.clusterDir);
  const user: User = { how: 'user', uid: owner.uid, gid: owner.gid };
  if (home.baseDir !== home.dataDir) {
    return { nativeDir: await outsideBinaries(machine, home.baseDir, user), runAs: user };
  }

  const { dataDir } = home;
  const nativeDir = await usableBinaries(machine.nativeDir, dataDir);
  const usual: RunAs = owner.uid === 0 ? { how: 'namespace' } : user;
  if (await canRun(machine, usual, nativeDir, dataDir)) return { nativeDir, runAs: usual };
  // The folder moved to another place or machine, where its owner cannot run it. It changes hands.
  const other = { nativeDir, dataDir, isNew: false, user: await unprivilegedUser() };
  const runAs = await chooseInside(machine, other);
  if (!runAs) {
    throw new Error(
      `PostgreSQL refuses to run as root, and no other user can reach both ${nativeDir} and ${dataDir}. ` +
        'Start Posthorn as an ordinary user that owns the folder, or set DATABASE_URL.',
    );
  }
  await chownTree(home.clusterDir, runAs.how === 'user' ? runAs : { uid: 0, gid: 0 });
  return { nativeDir, runAs };
}

interface Inside {
  nativeDir: string;
  dataDir: string;
  isNew: boolean;
  user: User;
}

async function chooseInside(machine: Machine, inside: Inside): Promise<RunAs | undefined> {
  const { nativeDir, dataDir, isNew, user } = inside;
  if (isNew && (await canRunShared(machine, inside))) return user;
  for (const runAs of [user, { how: 'namespace' } as const]) {
    if (await canRun(machine, runAs, nativeDir, dataDir)) return runAs;
  }
  if (!isNew && (await canRunShared(machine, inside))) return user;
  return undefined;
}

/** Tries rather than reads permission bits: that covers access lists, mounts and forbidden namespaces too. */
async function canRun(machine: Machine, runAs: RunAs, nativeDir: string, dataDir: string): Promise<boolean> {
  if (runAs.how === 'namespace' && !machine.namespaces) return false;
  const script = '"$1" --version && [ -r "$2" ] && [ -x "$2" ] && [ -x "$3" ]';
  const seen = [programPath(nativeDir, 'postgres'), path.join(nativeDir, 'share'), dataDir];
  return runToEnd(commandFor(runAs, '/bin/sh', ['-c', script, 'sh', ...seen]), 5000).then(
    () => true,
    () => false,
  );
}

/** Lets the user's group pass through the data folder (not list it), and takes that back if it does not help. */
async function canRunShared(machine: Machine, { nativeDir, dataDir, user }: Inside): Promise<boolean> {
  const before = await stat(dataDir);
  if (before.uid !== 0 || (before.mode & 0o077) !== 0) return false;
  await chown(dataDir, before.uid, user.gid);
  await chmod(dataDir, 0o710);
  if (await canRun(machine, user, nativeDir, dataDir)) return true;
  await chmod(dataDir, before.mode & 0o7777);
  await chown(dataDir, before.uid, before.gid);
  return false;
}

async function outsideBinaries(machine: Machine, baseDir: string, user: User): Promise<string> {
  const nativeDir = await copyBinaries(machine.nativeDir, baseDir);
  // The package may have been installed for root's eyes only.
  const copy = path.dirname(nativeDir);
  if ((await stat(copy)).uid !== user.uid) await chownTree(copy, user);
  if (await canRun(machine, user, nativeDir, baseDir)) return nativeDir;
  throw new Error(
    `PostgreSQL refuses to run as root, and user ${user.uid} cannot run it in ${baseDir}. ` +
      'Start Posthorn as an ordinary user, or set DATABASE_URL.',
  );
}

async function unprivilegedUser(): Promise<User> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', 'nobody']) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(passwd) ?? [];
    if (uid && gid) return { how: 'user', uid: Number(uid), gid: Number(gid) };
  }
  return { how: 'user', uid: 65534, gid: 65534 };
}

async function chownTree(dir: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  for (const entry of await readdir(dir, { recursive: true })) await lchown(path.join(dir, entry), uid, gid);
  // Last: the owner of the folder itself says that all of it was done.
  await lchown(dir, uid, gid);
}
