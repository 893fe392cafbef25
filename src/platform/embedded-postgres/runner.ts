/**
 * Chooses the user and the binaries that run PostgreSQL. An ordinary user runs it directly. Root tries, in this
 * order:
 *
 *  a. an unprivileged user, if it can access the binaries and the data folder;
 *  b. a user namespace, in which no file changes its owner;
 *  c. the unprivileged user again, with the cluster and a copy of the binaries outside the data folder.
 *
 * A data folder that is private to root may be opened to the group of the unprivileged user (0710). If we created
 * the folder, this is tried first, because an unprivileged user has fewer rights than a namespace of root.
 * Otherwise it is tried only after (b), as the last way to keep the data inside. An existing cluster is run by its
 * owner if possible.
 */
import { chmod, chown, lchown, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { copyBinaries, programPath, usableBinaries } from './binaries.ts';
import { clusterDirAt, nameFor } from './cluster-dir.ts';
import type { ClusterDir } from './cluster-dir.ts';
import { commandFor, isRoot, runToEnd } from './processes.ts';
import type { RunAs } from './processes.ts';

export interface Machine {
  nativeDir: string;
  namespaces: boolean;
  /** The folder for clusters that cannot be in their data folder. */
  outsideDir: string;
}

export interface Runner {
  nativeDir: string;
  runAs: RunAs;
}

type User = Extract<RunAs, { how: 'user' }>;

/** Chooses for a data folder without a cluster. */
export async function chooseClusterDir(
  machine: Machine,
  dataDir: string,
  isNew: boolean,
): Promise<ClusterDir & Runner> {
  const nativeDir = await usableBinaries(machine.nativeDir, dataDir);
  const inside = clusterDirAt(dataDir, dataDir);
  if (!isRoot()) return { ...inside, nativeDir, runAs: { how: 'directly' } };
  const user = await unprivilegedUser();
  const runAs = await chooseInside(machine, { nativeDir, dataDir, isNew, user });
  if (runAs) return { ...inside, nativeDir, runAs };

  const baseDir = path.join(machine.outsideDir, nameFor(dataDir));
  await mkdir(machine.outsideDir, { recursive: true, mode: 0o755 });
  await mkdir(baseDir, { recursive: true, mode: 0o700 });
  await chown(baseDir, user.uid, user.gid);
  return {
    ...clusterDirAt(dataDir, baseDir),
    nativeDir: await outsideBinaries(machine, baseDir, user),
    runAs: user,
  };
}

/** Chooses for an existing cluster. */
export async function findRunAs(machine: Machine, home: ClusterDir): Promise<Runner> {
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
  // The folder was moved to a place where its owner cannot run PostgreSQL, so the cluster gets a new owner.
  const other = { nativeDir, dataDir, isNew: false, user: await unprivilegedUser() };
  const runAs = await chooseInside(machine, other);
  if (!runAs) {
    throw new Error(
      `PostgreSQL cannot run as root, and no other user can access both ${nativeDir} and ${dataDir}. ` +
        'Start Posthorn as a normal user that owns the folder, or set DATABASE_URL.',
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

/** Starts the program instead of reading permission bits, which also covers ACLs, mounts and forbidden namespaces. */
async function canRun(machine: Machine, runAs: RunAs, nativeDir: string, dataDir: string): Promise<boolean> {
  if (runAs.how === 'namespace' && !machine.namespaces) return false;
  const script = '"$1" --version && [ -r "$2" ] && [ -x "$2" ] && [ -x "$3" ]';
  const paths = [programPath(nativeDir, 'postgres'), path.join(nativeDir, 'share'), dataDir];
  return runToEnd(commandFor(runAs, '/bin/sh', ['-c', script, 'sh', ...paths]), 5000).then(
    () => true,
    () => false,
  );
}

/** Lets the user's group traverse the data folder (not list it), and reverts this if it does not help. */
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
  // The installed package may be readable by root only.
  const copy = path.dirname(nativeDir);
  if ((await stat(copy)).uid !== user.uid) await chownTree(copy, user);
  if (await canRun(machine, user, nativeDir, baseDir)) return nativeDir;
  throw new Error(
    `PostgreSQL cannot run as root, and user ${user.uid} cannot run it in ${baseDir}. ` +
      'Start Posthorn as a normal user, or set DATABASE_URL.',
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
  // The folder comes last, because its owner tells later starts that the whole tree is done.
  await lchown(dir, uid, gid);
}
