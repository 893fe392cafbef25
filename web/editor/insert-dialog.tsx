import type { Editor } from '@tiptap/core';
import { useState } from 'react';
import { texts } from '../texts/en.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

const t = texts.editor;

export type Insertion = 'link' | 'image' | 'button';

interface InsertDialogProps {
  insertion: Insertion;
  editor: Editor;
  /** About the address of a link. */
  hint?: string;
  onClose(): void;
}

export function InsertDialog({ insertion, editor, hint = t.addressHint, onClose }: InsertDialogProps) {
  const [url, setUrl] = useState<string>(
    insertion === 'link' ? ((editor.getAttributes('link').href as string | undefined) ?? '') : '',
  );
  const [text, setText] = useState('');

  function insert(): void {
    const chain = editor.chain().focus();
    if (insertion === 'image') chain.setImage({ src: url, alt: text }).run();
    else if (insertion === 'button') chain.insertContent({ type: 'button', attrs: { text, url } }).run();
    else if (editor.state.selection.empty && !editor.isActive('link')) {
      chain.insertContent({ type: 'text', text: url, marks: [{ type: 'link', attrs: { href: url } }] }).run();
    } else chain.extendMarkRange('link').setLink({ href: url }).run();
    onClose();
  }

  const isChange = insertion === 'link' && editor.isActive('link');
  return (
    <Dialog stays title={t[insertion]} onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          // React hands events of a dialog on to the form that the editor stands in.
          event.stopPropagation();
          insert();
        }}
      >
        {insertion === 'button' && (
          <TextField
            label={t.buttonText}
            value={text}
            required
            autoFocus
            onChange={(event) => setText(event.target.value)}
          />
        )}
        <TextField
          label={insertion === 'image' ? t.imageAddress : t.address}
          hint={insertion === 'image' ? undefined : hint}
          placeholder="https://"
          value={url}
          required
          autoFocus={insertion !== 'button'}
          pattern={insertion === 'image' ? 'https?://.+' : '(https?://|mailto:|tel:|\\{\\{).+'}
          onChange={(event) => setUrl(event.target.value)}
        />
        {insertion === 'image' && (
          <TextField
            label={t.imageAlt}
            hint={t.imageAltHint}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        <DialogActions>
          {isChange && (
            <Button
              className="mr-auto"
              onClick={() => {
                editor.chain().focus().extendMarkRange('link').unsetLink().run();
                onClose();
              }}
            >
              {t.removeLink}
            </Button>
          )}
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary">
            {t.insert}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
