import { expect, test } from 'vitest';
import { createPathIndex, findPathsInComments, findPathsInMarkdown } from './find-paths.ts';

test('code spans that name files and folders of the project are found with their lines', () => {
  const text = 'See `src/main.ts` and `web/ui/`.\n\n`claim.ts` and `npm test`, `x.test.ts`, `GET /v1/x`';
  expect(findPathsInMarkdown(text)).toEqual([
    { line: 1, path: 'src/main.ts' },
    { line: 1, path: 'web/ui/' },
    { line: 3, path: 'claim.ts' },
  ]);
});

test('files are found in comments, and not in code', () => {
  const text = `import './other.ts';\n/**\n * As in claim.ts (delivery/session.ts).\n */\nconst text = 'a.ts';`;
  expect(findPathsInComments('a.ts', text)).toEqual([
    { line: 3, path: 'claim.ts' },
    { line: 3, path: 'delivery/session.ts' },
  ]);
});

test('a path exists if a file or folder has it, or ends with it', () => {
  const exists = createPathIndex(['src/features/delivery/claim.ts']);
  for (const path of ['src/features/delivery/claim.ts', 'delivery/claim.ts', 'claim.ts', 'src/features/'])
    expect(exists(path)).toBe(true);
  for (const path of ['src/claim.ts', 'laim.ts', 'src/delivery']) expect(exists(path)).toBe(false);
});
