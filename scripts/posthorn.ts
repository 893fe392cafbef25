/** The program from its sources, without a build: for `npm run dev` and for tests of the commands. */
import { runCommand } from '../src/cli.ts';

await runCommand(process.argv.slice(2));
