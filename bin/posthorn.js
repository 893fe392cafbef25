#!/usr/bin/env node
import { buildIfStale } from './build.js';

try {
  buildIfStale();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// A signal to npm alone ends npm and its shell, and would leave us behind without anyone who knows of us.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}

const { runCommand } = await import('../dist/cli.js');
await runCommand(process.argv.slice(2));
