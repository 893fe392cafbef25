/** The versions and sections of CHANGELOG.md. */
const VERSION = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

/** Whether `version` has the form 1.2.3 and is later than `current`. */
export function isLaterVersion(version: string, current: string): boolean {
  const [next, now] = [VERSION.exec(version), VERSION.exec(current)];
  if (!next || !now) return false;
  for (const part of [1, 2, 3]) {
    const difference = Number(next[part]) - Number(now[part]);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Gives the section "Unreleased" the version and the date, and starts an empty one above it. */
export function dateChangelog(changelog: string, version: string, at: Date): string {
  const title = `## ${version} (${at.toISOString().slice(0, 10)})`;
  return changelog.replace(/^## Unreleased$/m, () => `## Unreleased\n\n${title}`);
}

/** The text of the section whose title begins with `name`. Empty if there is none. */
export function readNotes(changelog: string, name: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => section.split(/\s/, 1)[0] === name);
  return found === undefined ? '' : found.slice(found.indexOf('\n')).trim();
}
