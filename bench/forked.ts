/** Runs a script of the benchmark in a process of its own and exchanges messages with it. It exits with its parent. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { onClose } from './cleanup.ts';

export interface Forked {
  /** Sends a question and returns the reply. */
  ask<Answer>(question: object): Promise<Answer>;
}

export function forkProgram(url: URL): Forked {
  const child = fork(url, { execArgv: ['--import', import.meta.resolve('tsx')] });
  const exited = once(child, 'exit');
  onClose(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await exited;
  });
  return {
    async ask<Answer>(question: object) {
      const answered = once(child, 'message');
      child.send(question);
      const [answer] = (await Promise.race([answered, exited])) as [Answer & { error?: string }];
      if (typeof answer !== 'object' || answer === null) throw new Error('A process of the benchmark ended.');
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer;
    },
  };
}

/** The side of the child process: replies to each question with the result of the work. */
export function answerQuestions(work: (question: unknown) => Promise<object>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (question) => {
    work(question).then(
      (answer) => process.send!(answer),
      (error: unknown) => process.send!({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
}
