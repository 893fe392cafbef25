/** Clients that repeat IMAP commands as fast as the server responds. A rejected command counts like any other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { answerQuestions } from './forked.ts';
import { openImapClient, type ImapAccount } from './imap-client.ts';

export interface AttackQuestion {
  account: ImapAccount;
  clients: number;
  commands: string[];
  lastsMs: number;
}

export interface AttackAnswer {
  commands: number;
}

answerQuestions(async (question): Promise<AttackAnswer> => {
  const { account, clients: count, commands, lastsMs } = question as AttackQuestion;
  const clients = await Promise.all(Array.from({ length: count }, () => openImapClient(account)));
  let isOver = false;
  let done = 0;
  const attacking = clients.map(async (client) => {
    for (let at = 0; !isOver; at += 1) {
      await client.say(commands[at % commands.length]!).catch(() => {});
      done += 1;
    }
  });
  await sleep(lastsMs);
  isOver = true;
  for (const client of clients) client.close();
  await Promise.all(attacking);
  return { commands: done };
});
