#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { buildIfStale } from './build.js';

// An older Node.js would fail later with an error that does not say why.
const OLDEST_NODE = [20, 19];
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])) {
  console.error(
    `Posthorn needs Node.js ${OLDEST_NODE.join('.')} or newer. This is ${process.versions.node}.`,
  );
  process.exit(1);
}

// Left alone, V8 lets garbage grow to three times of what is in use. Twice is as quick, and a third less memory.
setFlagsFromString('--heap-growing-percent=100');
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
