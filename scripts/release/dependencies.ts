/** The packages that a running Posthorn uses, with their licences, from the lock file. */
import { readFileSync } from 'node:fs';

export interface Dependency {
  name: string;
  version: string;
  licence: string;
  /** Only installed on some platforms. */
  optional: boolean;
}

interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  link?: boolean;
}

const FOLDER = 'node_modules/';

export function listDependencies(lockFile: string): Dependency[] {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages)
    .filter(([path, { dev, link }]) => path.startsWith(FOLDER) && !dev && !link)
    .map(([path, { version, license, optional, devOptional }]) => ({
      name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
      version: version ?? '',
      licence: license ?? 'unknown',
      optional: optional === true || devOptional === true,
    }))
    .toSorted((one, other) => `${one.name} ${one.version}`.localeCompare(`${other.name} ${other.version}`));
}

export function describeDependencies(dependencies: readonly Dependency[]): string {
  const rows = dependencies.map(
    ({ name, version, licence, optional }) =>
      `| ${name} | ${version} | ${licence} | ${optional ? 'yes' : ''} |`,
  );
  return `# Dependencies

The packages that a running Posthorn uses, and the licence that each declares. Packages that are not installed on every
platform are optional.

| package | version | licence | optional |
| ------- | ------- | ------- | -------- |
${rows.join('\n')}
`;
}
