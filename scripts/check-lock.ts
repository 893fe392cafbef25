/**
 * Checks that the lock file has the optional binaries of every platform. A lock file that is recreated on one machine
 * can lose the others, and `npm ci` then fails on other platforms.
 */
import { readFileSync } from 'node:fs';

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
  Object.keys(optionalDependencies).filter(
    (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
  ),
);
for (const name of missing) console.error(`package-lock.json has no ${name}`);
process.exitCode = missing.length > 0 ? 1 : 0;
