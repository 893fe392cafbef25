/**
 * `npm run check`: runs every script of package.json whose name begins with "check:", as many at a time as there are
 * cores, and prints what each said when it has ended.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** They take the longest, so they start first. */
const LONG = ['check:patterns', 'check:types', 'check:lint'];

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const others = Object.keys(scripts).filter((name) => name.startsWith('check:') && !LONG.includes(name));
const waiting = [...LONG, ...others];
const failed: string[] = [];

async function runNext(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { code, output } = await run(name);
    console.log(`${code === 0 ? 'passed' : 'FAILED'}  ${name}`);
    if (output.trim() !== '') console.log(output.trimEnd());
    if (code !== 0) failed.push(name);
  }
}

function run(name: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, runNext));
if (failed.length > 0) {
  console.log(`\nNot passed: ${failed.join(', ')}. Run one alone with \`npm run\` and its name.`);
  process.exitCode = 1;
}
