/** Builds the server and the dashboard once, before the tests that start the server or open the dashboard. */
import { execFileSync } from 'node:child_process';

export default function setUp(): void {
  execFileSync(process.execPath, ['bin/build.js'], { stdio: ['ignore', 'ignore', 'inherit'] });
}
