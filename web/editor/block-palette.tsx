/** All blocks, to drag into the email, or to add after the caret with a click or the keyboard. */
import type { Editor } from '@tiptap/core';
import { editorTexts } from '../texts/en/editor.ts';
import { BLOCKS, type Block } from './blocks.ts';
import { endBlockDrag, startBlockDrag } from './drop-block.ts';

interface BlockPaletteProps {
  editor: Editor;
  onAdd(block: Block): void;
}

export function BlockPalette({ editor, onAdd }: BlockPaletteProps) {
  return (
    <div className="p-4">
      <p className="mb-3 text-[0.8125rem] text-soft">{editorTexts.paletteHint}</p>
      <div className="grid grid-cols-3 gap-2">
        {BLOCKS.map((block) => (
          <button
            key={block.id}
            type="button"
            draggable
            className="flex cursor-grab flex-col items-center gap-1.5 rounded-lg border border-line px-1 py-2.5 text-center text-xs leading-tight text-soft hover:border-edge hover:text-ink"
            onDragStart={({ dataTransfer }) => startBlockDrag(editor, block, dataTransfer)}
            onDragEnd={() => endBlockDrag(editor)}
            onClick={() => onAdd(block)}
          >
            <block.icon aria-hidden className="size-5" />
            {block.name}
          </button>
        ))}
      </div>
    </div>
  );
}
