import { readFileSync } from 'node:fs';

const LAST_STAGE = /^FROM (\S+)$/m;

/**
 * The Dockerfile of a release. It is the last stage of the repository's own, with the files of the package instead of a
 * build, so that the image has what was tested and needs no compiler.
 */
export function writeImageRecipe(version: string): string {
  const source = readFileSync('Dockerfile', 'utf8');
  const start = LAST_STAGE.exec(source);
  if (!start) throw new Error('Dockerfile has no stage without a name');
  const stage = source
    .slice(start.index)
    .split('\n')
    .filter((line) => !/^COPY (--from=build|bin|migrations)/.test(line))
    .join('\n')
    .replace(/^COPY package\.json package-lock\.json .*$/m, () =>
      [
        `LABEL org.opencontainers.image.version=${version} org.opencontainers.image.licenses=MIT`,
        `ADD posthorn-${version}.tgz /`,
        // The archive has its files in the folder package.
        'RUN cp -r /package/. /app && rm -r /package',
        'COPY package-lock.json ./',
      ].join('\n'),
    );
  return `# The image of Posthorn ${version}: docker build --tag posthorn:${version} .\n${stage}`;
}
