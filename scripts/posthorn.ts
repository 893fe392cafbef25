/** Runs Posthorn from its sources, without a build, for `npm run dev`. */
import { runCommand } from '../src/cli.ts';

await runCommand(process.argv.slice(2));
