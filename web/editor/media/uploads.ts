/**
 * Images that are pasted or dropped. A box marks the position while the image is uploaded, even when the text around
 * it changes. If the upload fails, nothing is left behind.
 */
import { Extension, type Editor } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import { Fragment, Slice, type Node, type ResolvedPos } from '@tiptap/pm/model';
import { Plugin, PluginKey, type Transaction } from '@tiptap/pm/state';
import { dropPoint } from '@tiptap/pm/transform';
import { Decoration, DecorationSet } from '@tiptap/pm/view';
import { describeError } from '../../api/describe-error.ts';
import { editorTexts } from '../../texts/en/editor.ts';
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
    box.textContent = editorTexts.uploading;
    return set.add(tr.doc, [Decoration.widget(change.at, box, { id: change.add })]);
  }
  return set.remove(set.find(undefined, undefined, ({ id }) => id === change.remove));
}

/** The width of a new image is its own, up to the width of an email. */
function imageOf({ url, width, height }: Media) {
  const shown = Math.min(width, 600);
  return {
    type: 'image',
    attrs: { src: url, alt: null, width: shown, height: Math.round((height * shown) / width) },
  };
}

/**
 * Inserts the images after the block at this position, in their order, however long each of them takes. They replace an
 * empty line that is still empty then.
 */
export async function uploadInto(editor: Editor, files: readonly File[], position: number): Promise<void> {
  const at = findPlace(editor, position);
  const isOnLine = isEmptyLine(editor.state.doc.resolve(position).parent);
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
    // Make this an undo step of its own.
    const tr = closeHistory(editor.state.tr);
    tr.setMeta(KEY, { remove: upload } satisfies Change);
    if (media && place) {
      const image = editor.schema.nodeFromJSON(imageOf(media));
      const from = isOnLine ? startOfLine(tr.doc.resolve(place.from), image) : place.from;
      tr.replaceWith(from, place.from, image);
    }
    editor.view.dispatch(tr);
  }
}

/** Between two columns and the like, where no image can be, the nearest place is taken. */
function findPlace({ schema, state: { doc } }: Editor, position: number): number {
  const $place = doc.resolve(position);
  if ($place.parent.isTextblock) return $place.after();
  const image = new Slice(Fragment.from(schema.nodes['image']!.create()), 0, 0);
  return dropPoint(doc, position, image) ?? doc.content.size;
}

/** The start of an empty line that the image can replace, or the position itself. */
function startOfLine($place: ResolvedPos, image: Node): number {
  const { pos, nodeBefore, parent } = $place;
  const index = $place.index();
  if (!isEmptyLine(nodeBefore) || !parent.canReplaceWith(index - 1, index, image.type)) return pos;
  return pos - nodeBefore.nodeSize;
}

function isEmptyLine(node: Node | null): node is Node {
  return node?.type.name === 'paragraph' && node.content.size === 0;
}

async function uploadOrTell(file: File): Promise<Media | null> {
  try {
    return await uploadImage(file);
  } catch (error) {
    showToast(describeError(error), { tone: 'bad' });
    return null;
  }
}
