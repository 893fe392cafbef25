/** The settings of the selected block, of the blocks around it, and of the email. */
import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import { ArrowDown, ArrowUp, Copy, Trash2 } from 'lucide-react';
import type { Ref } from 'react';
import { editorTexts } from '../../texts/en/editor.ts';
import { IconButton } from '../../ui/button.tsx';
import { SwitchField } from '../../ui/field.tsx';
import { copyBlock, moveBlock, removeBlock } from '../nodes/move-block.ts';
import { BOXED } from '../nodes/block-settings.ts';
import { NODE_FIELDS } from './node-fields.tsx';
import { selectedPath, setAttributes, type NodeFieldsProps, type SelectedNode } from './selected-path.ts';
import { ColourField, NumberField } from './setting-fields.tsx';

const t = editorTexts.settings;
/** Blocks without text, so that they need no text colour. */
const TEXTLESS = ['image', 'horizontalRule', 'spacer'];

export function SettingsPanel({ editor, panel }: { editor: Editor; panel?: Ref<HTMLDivElement> }) {
  const path = useEditorState({
    editor,
    selector: ({ editor: now }) => selectedPath(now.state).filter(({ type }) => type in NODE_FIELDS),
  });
  return (
    <div ref={panel} className="divide-y divide-line">
      {path.map((node, at) => (
        <NodeSettings key={`${node.type} ${node.at}`} editor={editor} node={node} isFirst={at === 0} />
      ))}
    </div>
  );
}

interface NodeSettingsProps {
  editor: Editor;
  node: SelectedNode;
  isFirst: boolean;
}

function NodeSettings({ editor, node, isFirst }: NodeSettingsProps) {
  const { type, attrs } = node;
  // The text of a list item has the colours and the padding of its list.
  const isBoxed = BOXED.includes(type) && node.parent !== 'listItem';
  const Fields = NODE_FIELDS[type]!;
  const props: NodeFieldsProps = {
    editor,
    at: node.at,
    attrs,
    set: (changes) => setAttributes(editor, node, changes),
  };
  const name = t.names[type as keyof typeof t.names] ?? type;
  return (
    <section aria-label={name} className="space-y-3.5 p-4">
      <div className="flex min-h-8 items-center justify-between">
        <h2 className="font-semibold">{name}</h2>
        {isFirst && type !== 'doc' && type !== 'variable' && <BlockActions editor={editor} />}
      </div>
      <Fields {...props} />
      {isBoxed && <BoxFields {...props} hasText={!TEXTLESS.includes(type)} />}
      {type === 'button' && <PaddingField {...props} />}
      {(isBoxed || type === 'button') && (
        <SwitchField
          label={t.hideOnPhone}
          checked={attrs['hideOnPhone'] === true}
          onChange={(hideOnPhone) => props.set({ hideOnPhone })}
        />
      )}
    </section>
  );
}

function BoxFields({ attrs, set, hasText }: NodeFieldsProps & { hasText: boolean }) {
  return (
    <>
      <ColourField
        label={t.background}
        value={attrs['backgroundColor']}
        onChange={(backgroundColor) => set({ backgroundColor })}
      />
      {hasText && (
        <ColourField
          label={t.textColor}
          value={attrs['textColor']}
          onChange={(textColor) => set({ textColor })}
        />
      )}
      <PaddingField attrs={attrs} set={set} />
    </>
  );
}

function PaddingField({ attrs, set }: Pick<NodeFieldsProps, 'attrs' | 'set'>) {
  return (
    <NumberField
      label={t.padding}
      value={attrs['padding']}
      max={80}
      onChange={(padding) => set({ padding })}
    />
  );
}

function BlockActions({ editor }: { editor: Editor }) {
  return (
    <div className="-mr-2 flex">
      <IconButton icon={ArrowUp} label={t.moveUp} onClick={() => moveBlock(editor, -1)} />
      <IconButton icon={ArrowDown} label={t.moveDown} onClick={() => moveBlock(editor, 1)} />
      <IconButton icon={Copy} label={t.copy} onClick={() => copyBlock(editor)} />
      <IconButton icon={Trash2} label={t.delete} onClick={() => removeBlock(editor)} />
    </div>
  );
}
