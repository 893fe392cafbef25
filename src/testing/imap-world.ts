/** A mail world with mailboxes that email apps can open, for tests of IMAP. */
import { expect } from 'vitest';
import { openImapDialogue, type ImapDialogue } from './imap-dialogue.ts';
import { startMailWorld, type MailWorld } from './mail-world.ts';

export interface Box {
  id: string;
  address: string;
  /** An app password. */
  password: string;
}

export interface ImapWorld extends MailWorld {
  freshBox(): Promise<Box>;
  logIn(box: Pick<Box, 'address' | 'password'>): Promise<ImapDialogue>;
}

export async function startImapWorld(): Promise<ImapWorld> {
  const world = await startMailWorld({ doors: ['http', 'smtp', 'imap', 'worker'] });
  return {
    ...world,
    async freshBox() {
      const box = await world.freshMailbox();
      const { body } = await world.team.call('POST', `/mailboxes/${box.id}/app-passwords`, { name: 'Test' });
      return { ...box, password: body.password };
    },
    async logIn({ address, password }) {
      const dialogue = await openImapDialogue(world.server.imapPort);
      expect(await dialogue.say(`LOGIN ${address} ${password}`)).toMatch(/^OK \[CAPABILITY .*IDLE/);
      return dialogue;
    },
  };
}

export function append(imap: ImapDialogue, raw: string, folder = 'INBOX'): Promise<string> {
  return imap.say(`APPEND ${folder} {${raw.length}+}\r\n${raw}`);
}

/** Returns the number of messages. */
export async function openInbox(client: ImapDialogue): Promise<number> {
  return Number(/\* (\d+) EXISTS/.exec(await client.say('SELECT INBOX'))![1]);
}
