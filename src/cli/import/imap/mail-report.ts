/** Counts the results of a mail import, and shows them. */
import { formatTable, oneLine } from '../../progress.ts';

interface FolderCount {
  path: string;
  name: string;
  found: number;
  imported: number;
  /** Imported by an earlier run. */
  present: number;
  refused: number;
}

export interface MailReport {
  /** Folders that only show messages of other folders. */
  views: string[];
  /** Starts a folder. After a lost connection, the same folder starts again. */
  begin(path: string, name: string): FolderCount;
  refuse(count: FolderCount, uid: number, reason: string): void;
  /** The number of messages that were stored since the report was created. */
  imported(): number;
  progress(): string;
  format(options: { isDry: boolean }): string;
}

const MAX_REFUSALS_SHOWN = 20;

export function createMailReport(): MailReport {
  const counts = new Map<string, FolderCount>();
  let refusals = new Map<string, string>();
  /** The number of messages that were stored over earlier connections. */
  let before = 0;
  const sum = (of: (count: FolderCount) => number) =>
    [...counts.values()].reduce((total, count) => total + of(count), 0);
  const imported = () => before + sum((count) => count.imported);

  return {
    views: [],
    begin(path, name) {
      const old = counts.get(path);
      const count = { path, name, found: 0, imported: 0, present: 0, refused: 0 };
      before += old?.imported ?? 0;
      counts.set(path, count);
      refusals = new Map([...refusals].filter(([key]) => !key.startsWith(`${path}\0`)));
      return count;
    },
    refuse(count, uid, reason) {
      count.refused += 1;
      const shown = `${oneLine(count.path).slice(0, 200)}, UID ${uid}: ${oneLine(reason)}`;
      if (refusals.size < MAX_REFUSALS_SHOWN) refusals.set(`${count.path}\0${uid}`, shown);
    },
    imported,
    progress: () => `${imported().toLocaleString('en')} messages so far`,
    format({ isDry }) {
      const rows = [...counts.values()].map(({ path, name, ...count }) => [
        `${oneLine(path)} → ${name}`,
        ...[count.found, count.imported, count.present, count.refused].map(String),
      ]);
      const heads = ['', 'found', isDry ? 'would be imported' : 'imported', 'already here', 'rejected'];
      const lines = [formatTable([heads, ...rows])];
      const refused = sum((count) => count.refused);
      if (refused > 0)
        lines.push(
          `\nRejected${refused > refusals.size ? ` (the first ${refusals.size})` : ''}:`,
          ...[...refusals.values()].map((each) => `  ${each}`),
        );
      if (this.views.length > 0)
        lines.push(
          '\nNot imported, because they only show messages of other folders:',
          ...this.views.map((path) => `  ${oneLine(path)}`),
        );
      return lines.join('\n');
    },
  };
}
