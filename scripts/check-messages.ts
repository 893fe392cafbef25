/**
 * Checks that no door tells errors apart by the words of their messages (errors/find-matched-messages.ts). Exceptions are
 * in errors/allowed.ts.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ALLOWED_MATCHES } from './errors/allowed.ts';
import { findMatchedMessages } from './errors/find-matched-messages.ts';

const DOORS = ['src/http', 'src/imap', 'src/jmap', 'src/smtp', 'src/features'];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...DOORS], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
const unused = new Set(Object.keys(ALLOWED_MATCHES));
let faults = 0;

for (const file of files) {
  for (const { line, text } of findMatchedMessages(file, readFileSync(file, 'utf8'))) {
    if (text in ALLOWED_MATCHES) {
      unused.delete(text);
      continue;
    }
    console.error(`${file}:${line} ${text}\n  depends on the words of a message: use the code or the reason`);
    faults += 1;
  }
}
for (const text of unused) console.error(`scripts/errors/allowed.ts: ${text} is not needed`);
process.exitCode = faults + unused.size > 0 ? 1 : 0;
