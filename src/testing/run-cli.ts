/** The program from its sources: bin/posthorn.js builds into dist first, which tests must not wait for. */
import { runCommand } from '../cli.ts';

await runCommand(process.argv.slice(2));
