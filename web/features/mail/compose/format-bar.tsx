import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import { Bold, Italic, Link2, List, ListOrdered, Quote, Strikethrough, type LucideIcon } from 'lucide-react';
import { mailTexts } from '../../../texts/en/mail.ts';
import { classes } from '../../../ui/classes.ts';

const t = mailTexts.compose;

interface Tool {
  name: string;
  icon: LucideIcon;
  isOn(editor: Editor): boolean;
  run(editor: Editor): void;
}

const TOOLS: readonly Tool[] = [
  {
    name: t.format.bold,
    icon: Bold,
    isOn: (editor) => editor.isActive('bold'),
    run: (editor) => void editor.chain().focus().toggleBold().run(),
  },
  {
    name: t.format.italic,
    icon: Italic,
    isOn: (editor) => editor.isActive('italic'),
    run: (editor) => void editor.chain().focus().toggleItalic().run(),
  },
  {
    name: t.format.strike,
    icon: Strikethrough,
    isOn: (editor) => editor.isActive('strike'),
    run: (editor) => void editor.chain().focus().toggleStrike().run(),
  },
  {
    name: t.format.bullets,
    icon: List,
    isOn: (editor) => editor.isActive('bulletList'),
    run: (editor) => void editor.chain().focus().toggleBulletList().run(),
  },
  {
    name: t.format.numbers,
    icon: ListOrdered,
    isOn: (editor) => editor.isActive('orderedList'),
    run: (editor) => void editor.chain().focus().toggleOrderedList().run(),
  },
  {
    name: t.format.quote,
    icon: Quote,
    isOn: (editor) => editor.isActive('blockquote'),
    run: (editor) => void editor.chain().focus().toggleBlockquote().run(),
  },
  {
    name: t.format.link,
    icon: Link2,
    isOn: (editor) => editor.isActive('link'),
    run: askForLink,
  },
];

function askForLink(editor: Editor): void {
  const before = (editor.getAttributes('link').href as string | undefined) ?? 'https://';
  const href = window.prompt(t.linkPrompt, before)?.trim();
  if (href === undefined) return;
  const chain = editor.chain().focus().extendMarkRange('link');
  if (href === '' || href === 'https://') chain.unsetLink().run();
  else if (editor.state.selection.empty && !editor.isActive('link'))
    chain.insertContent({ type: 'text', text: href, marks: [{ type: 'link', attrs: { href } }] }).run();
  else chain.setLink({ href }).run();
}

export function FormatBar({ editor }: { editor: Editor }) {
  const on = useEditorState({ editor, selector: ({ editor: now }) => TOOLS.map((tool) => tool.isOn(now)) });
  return (
    <div role="toolbar" aria-label={t.toolbar} className="flex">
      {TOOLS.map(({ name, icon: Icon, run }, index) => (
        <button
          key={name}
          type="button"
          title={name}
          aria-label={name}
          aria-pressed={on[index]}
          // The text keeps its selection.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => run(editor)}
          className={classes(
            'inline-flex size-8 items-center justify-center rounded-lg hover:bg-hover hover:text-ink',
            on[index] ? 'bg-hover text-ink' : 'text-soft',
          )}
        >
          <Icon aria-hidden className="size-4" />
        </button>
      ))}
    </div>
  );
}
