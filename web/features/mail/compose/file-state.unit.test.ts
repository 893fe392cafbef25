import { expect, test } from 'vitest';
import { mailTexts } from '../../../texts/en/mail.ts';
import { MOST_BYTES, nextFiles, numberOf, unusedImages, type ComposeFile } from './file-state.ts';

const t = mailTexts.compose;

function file(key: number, changes: Partial<ComposeFile> = {}): ComposeFile {
  return { key, name: `${key}.txt`, size: 10, contentId: null, progress: null, ...changes };
}

test('a file that is added is uploaded, and shows how far it is', () => {
  const added = new File(['abc'], 'a.txt');
  const [files, effects] = nextFiles([], { type: 'file-added', key: 1, file: added, contentId: null });
  expect(files).toEqual([{ key: 1, name: 'a.txt', size: 3, contentId: null, progress: 0 }]);
  expect(effects).toEqual([{ type: 'upload', key: 1, file: added, contentId: null }]);
  const [half] = nextFiles(files, { type: 'file-progressed', key: 1, progress: 0.5 });
  expect(half[0]!.progress).toBe(0.5);
  expect(nextFiles(half, { type: 'file-uploaded', key: 1 })[0][0]!.progress).toBeNull();
});

test('files that are too large together are rejected', () => {
  const files = [file(1, { size: MOST_BYTES - 2 })];
  const added = new File(['abc'], 'a.txt');
  const [same, effects] = nextFiles(files, { type: 'file-added', key: 2, file: added, contentId: null });
  expect(same).toBe(files);
  expect(effects).toEqual([{ type: 'complain', text: `${t.uploadFailed('a.txt')} ${t.tooLarge}` }]);
});

test('a failed upload leaves the list, and the list of the server is looked at', () => {
  const files = [file(1), file(2, { progress: 0.9 }), file(3, { progress: 0.1 })];
  const [left, effects] = nextFiles(files, { type: 'file-failed', key: 2, text: 'No.' });
  expect(left.map(({ key }) => key)).toEqual([1, 3]);
  expect(effects).toEqual([
    { type: 'complain', text: `${t.uploadFailed('2.txt')} No.` },
    { type: 'list-files' },
  ]);
  const [listed] = nextFiles(left, { type: 'files-listed', files: [file(8), file(9)] });
  expect(listed.map(({ key }) => key)).toEqual([8, 9, 3]);
});

test('the number of a file counts those that are on the server', () => {
  const files = [file(1), file(2, { progress: 0.5 }), file(3)];
  expect([1, 3].map((key) => numberOf(files, key))).toEqual([0, 1]);
  const [left] = nextFiles(files, { type: 'file-removed', key: 1 });
  expect(numberOf(left, 3)).toBe(0);
});

test('an image is unused when the text no longer refers to it', () => {
  const files = [file(1), file(2, { contentId: 'a@posthorn' }), file(3, { contentId: 'b@posthorn' })];
  const html = '<p><img src="cid:a@posthorn"></p>';
  expect(unusedImages(files, html).map(({ key }) => key)).toEqual([3]);
});
