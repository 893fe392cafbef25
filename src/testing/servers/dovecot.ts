/** Starts Dovecot, the IMAP server of Debian's package dovecot-imapd, with one folder for its data and one account. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from './free-ports.ts';

export interface Dovecot {
  port: number;
  user: string;
  password: string;
  /** The parent of all other processes of the server. */
  pid: number;
  close(): Promise<void>;
}

export function hasDovecot(): boolean {
  return spawnSync('dovecot', ['--version']).status === 0;
}

/** Debian's user for mail. Dovecot does not read mail as root. */
const MAIL_UID = 8;
const START_MS = 20_000;

export async function startDovecot(): Promise<Dovecot> {
  const [port] = await freePorts(1);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-dovecot-'));
  const { uid, username } = userInfo();
  const isRoot = uid === 0;
  const home = join(folder, 'home');
  mkdirSync(home);
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(home, MAIL_UID, MAIL_UID);
  const own = isRoot ? '' : `default_internal_user = ${username}\ndefault_login_user = ${username}`;
  const mailUid = isRoot ? MAIL_UID : uid;
  writeFileSync(join(folder, 'dovecot.conf'), configOf(folder, port!, { own, mailUid, home }));
  const child = spawn('dovecot', ['-F', '-c', join(folder, 'dovecot.conf')], { stdio: 'ignore' });
  const hasExited = once(child, 'exit');
  const deadline = Date.now() + START_MS;
  while (!(await answers(port!))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('Dovecot does not start');
    await wait(50);
  }
  return {
    port: port!,
    user: 'ada@old.example',
    password: 'sesame',
    pid: child.pid!,
    async close() {
      child.kill('SIGTERM');
      await hasExited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(
  folder: string,
  port: number,
  { own, mailUid, home }: { own: string; mailUid: number; home: string },
): string {
  return `base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
listen = 127.0.0.1
protocols = imap
ssl = no
disable_plaintext_auth = no
mail_location = mdbox:~/mail
first_valid_uid = 1
mail_max_userip_connections = 2000
${own}
service imap-login {
  chroot =
  client_limit = 4000
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service imap {
  process_limit = 4000
}
service anvil {
  chroot =
  client_limit = 9000
}
passdb {
  driver = static
  args = password=sesame
}
userdb {
  driver = static
  args = uid=${mailUid} gid=${mailUid} home=${home}
}
namespace inbox {
  inbox = yes
  separator = .
  mailbox Gesendet {
    special_use = \\Sent
    auto = create
  }
  mailbox Junk {
    special_use = \\Junk
    auto = create
  }
}
`;
}

function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('data', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}
