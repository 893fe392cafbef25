/** Finds the password of the other server. It is never an argument, because everyone on the machine can see those. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '../../usage.ts';

/** Reads it from the file (`-` is standard input), the setting, or the terminal, in this order. */
export async function readPassword(file: string | undefined, setting: string | null): Promise<string> {
  const password = file === undefined ? (setting ?? (await ask())) : readFromFile(file);
  if (password === '') throw new UsageError('The password is empty.');
  return password;
}

function readFromFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`--password-file cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

async function ask(): Promise<string> {
  if (!process.stdin.isTTY)
    throw new UsageError('The password is missing. Set IMPORT_IMAP_PASSWORD or use --password-file.');
  process.stderr.write('Password: ');
  // Typed characters are not shown.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
