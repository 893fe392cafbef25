#!/usr/bin/env node
import { buildIfStale } from './build.js';

try {
  buildIfStale();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const { runCommand } = await import('../dist/cli.js');
await runCommand(process.argv.slice(2));
