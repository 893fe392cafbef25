/**
 * Images that are pasted or dropped. A box marks the place while the image is uploaded, also when the text around it
 * changes. An image that cannot be uploaded leaves nothing behind.
 */
import { Extension, type Editor } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import { Plugin, PluginKey, type Transaction } from '@tiptap/pm/state';
import { Decoration, DecorationSet } from '@tiptap/pm/view';
import { describeError } from '../../api/describe-error.ts';
import { texts } from '../../texts/en.ts';
import { showToast } from '../../ui/toasts.ts';
import { uploadImage, type Media } from './media-api.ts';

type Change = { add: object; at: number } | { remove: object };

/** Decoding large images needs much memory. */
const AT_ONCE = 3;

const KEY = new PluginKey<DecorationSet>('uploads');

export const Uploads = Extension.create({
  name: 'uploads',
  addProseMirrorPlugins: () => [
    new Plugin<DecorationSet>({
      key: KEY,
      state: { init: () => DecorationSet.empty, apply: (tr, set) => follow(tr, set) },
      props: { decorations: (state) => KEY.getState(state) },
    }),
  ],
});

function follow(tr: Transaction, before: DecorationSet): DecorationSet {
  const set = before.map(tr.mapping, tr.doc);
  const change = tr.getMeta(KEY) as Change | undefined;
  if (!change) return set;
  if ('add' in change) {
    const box = document.createElement('div');
    box.className = 'mail-upload';
    box.textContent = texts.editor.uploading;
    return set.add(tr.doc, [Decoration.widget(change.at, box, { id: change.add })]);
  }
  return set.remove(set.find(undefined, undefined, ({ id }) => id === change.remove));
}

/** The width that a new image has: its own, up to the width of a letter. */
function imageOf({ url, width, height }: Media) {
  const shown = Math.min(width, 600);
  return {
    type: 'image',
    attrs: { src: url, alt: null, width: shown, height: Math.round((height * shown) / width) },
  };
}

/** Inserts the images after the block at this position, in their order, however long each of them takes. */
export async function uploadInto(editor: Editor, files: readonly File[], position: number): Promise<void> {
  const $place = editor.state.doc.resolve(position);
  const at = $place.depth === 0 ? position : $place.after();
  const uploads = files.map(() => {
    const upload = {};
    editor.view.dispatch(editor.state.tr.setMeta(KEY, { add: upload, at } satisfies Change));
    return upload;
  });
  const running: Promise<Media | null>[] = [];
  for (const [number, upload] of uploads.entries()) {
    for (const file of files.slice(running.length, number + AT_ONCE)) running.push(uploadOrTell(file));
    const media = await running[number]!;
    if (editor.isDestroyed) return;
    const place = KEY.getState(editor.state)?.find(undefined, undefined, ({ id }) => id === upload)[0];
    // An undo step of its own.
    const tr = closeHistory(editor.state.tr);
    tr.setMeta(KEY, { remove: upload } satisfies Change);
    if (media && place) tr.insert(place.from, editor.schema.nodeFromJSON(imageOf(media)));
    editor.view.dispatch(tr);
  }
}

async function uploadOrTell(file: File): Promise<Media | null> {
  try {
    return await uploadImage(file);
  } catch (error) {
    showToast(describeError(error), { tone: 'bad' });
    return null;
  }
}
