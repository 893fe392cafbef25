import { expect, test } from 'vitest';
import { dateChangelog, isLaterVersion, readNotes } from './changelog.ts';

const CHANGELOG = `# Changelog

## Unreleased

- New

## 0.1.0 (2026-01-02)

- Old
`;

test('a release takes the notes of the section "Unreleased" and leaves it empty', () => {
  const dated = dateChangelog(CHANGELOG, '0.2.0', new Date('2026-11-18T20:00:00Z'));
  expect(dated).toContain('## Unreleased\n\n## 0.2.0 (2026-11-18)\n\n- New\n\n## 0.1.0');
  expect(readNotes(dated, '0.2.0')).toBe('- New');
  expect(readNotes(dated, '0.1.0')).toBe('- Old');
  expect(readNotes(dated, 'Unreleased')).toBe('');
  expect(readNotes(dated, '0.3.0')).toBe('');
});

test.each([
  ['0.1.1', '0.1.0', true],
  ['0.10.0', '0.9.9', true],
  ['1.0.0', '0.99.99', true],
  ['0.1.0', '0.1.0', false],
  ['0.0.9', '0.1.0', false],
  ['v1.0.0', '0.1.0', false],
  ['1.0', '0.1.0', false],
  ['1.0.0-beta', '0.1.0', false],
])('that %s is later than %s is %s', (version, current, isLater) => {
  expect(isLaterVersion(version, current)).toBe(isLater);
});
