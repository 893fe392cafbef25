/** Generates docs/decisions/README.md: the list of all decisions. Each has a number of its own. */
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'docs/decisions';

interface Decision {
  file: string;
  number: number;
  title: string;
}

export function readDecisions(): Decision[] {
  return readdirSync(FOLDER)
    .filter((file) => /^\d{4}-.+\.md$/.test(file))
    .toSorted()
    .map((file) => {
      const [heading = ''] = readFileSync(`${FOLDER}/${file}`, 'utf8').split('\n', 1);
      return { file, number: Number(file.slice(0, 4)), title: heading.replace(/^# \d+\. /, '') };
    });
}

/** Names what is wrong with the numbers of the files and of their headings. */
export function findMisnumbered(decisions: readonly Decision[]): string[] {
  return decisions.flatMap(({ file, number }, index) => {
    const before = decisions[index - 1]?.number ?? 0;
    const heading = readFileSync(`${FOLDER}/${file}`, 'utf8').split('\n', 1)[0]!;
    return [
      ...(number === before + 1 ? [] : [`${FOLDER}/${file} must have the number ${before + 1}`]),
      ...(heading.startsWith(`# ${number}. `) ? [] : [`${FOLDER}/${file} must begin with "# ${number}. "`]),
    ];
  });
}

export function decisionsPage(decisions: readonly Decision[]): string {
  const lines = decisions.map(
    ({ file, number, title }) => `- [${number}. ${title.replaceAll('\\', '\\\\')}](${file})`,
  );
  return `# Decisions

Why Posthorn is built as it is. Each page says what was decided, what it was decided against, and what it costs. A new one
gets the next number; one that no longer holds says which one replaced it.

${lines.join('\n')}

Generated from the headings by \`npm run generate\`.
`;
}
