import type { Editor } from '@tiptap/core';
import { Link } from 'lucide-react';
import { useState } from 'react';
import { InsertDialog } from '../../../../editor/insert-dialog.tsx';
import { BASIC_TOOLS, ToolButtons } from '../../../../editor/tools.tsx';
import { editorTexts } from '../../../../texts/en/editor.ts';
import { Toolbar, ToolbarButton } from '../../../../ui/toolbar.tsx';

export function FormatBar({ editor }: { editor: Editor }) {
  const [isLinking, setIsLinking] = useState(false);
  return (
    <>
      <Toolbar label={editorTexts.toolbar} className="flex flex-wrap">
        <ToolButtons editor={editor} tools={BASIC_TOOLS} />
        <ToolbarButton icon={Link} label={editorTexts.link} onClick={() => setIsLinking(true)} />
      </Toolbar>
      {isLinking && (
        <InsertDialog
          insertion="link"
          editor={editor}
          hint={editorTexts.plainAddressHint}
          onClose={() => setIsLinking(false)}
        />
      )}
    </>
  );
}
