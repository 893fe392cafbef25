#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { buildIfStale } from './build.js';

// An older Node.js would fail later with an unclear error.
const OLDEST_NODE = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  console.error(
    `Posthorn needs Node.js ${OLDEST_NODE.join('.')} or newer. This is ${process.versions.node}.`,
  );
  process.exit(1);
}

// By default, V8 lets the heap grow to three times the live data. Twice is as fast and needs a third less memory.
setFlagsFromString('--heap-growing-percent=100');
try {
  buildIfStale();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
// A signal to npm alone ends npm and its shell, and would leave this process running.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}

const { runCommand } = await import('../dist/server/cli.js');
await runCommand(process.argv.slice(2));
