import type { Editor } from '@tiptap/core';
import { NodeSelection } from '@tiptap/pm/state';
import { useState } from 'react';
import { texts } from '../texts/en.ts';
import { editorTexts } from '../texts/en/editor.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialogs/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { changeOnce, insertBlock, leaveNode } from './insertion.ts';
import { completeLink, isLink } from './nodes/link-address.ts';

const t = editorTexts;
const SOURCE = '(https?://|\\{\\{).+';
const MOST_PIXELS = 600;

export type Insertion = 'link' | 'image' | 'button';

interface InsertDialogProps {
  /** If a node of this kind is selected, it is changed; otherwise a new one is inserted. */
  insertion: Insertion;
  editor: Editor;
  /** Shown below the address of a link. */
  hint?: string;
  /** Explains why the dialog opened, if the user did not open it. */
  note?: string | undefined;
  onClose(): void;
}

interface Fields {
  text: string;
  url: string;
  width: string;
}

export function InsertDialog(props: InsertDialogProps) {
  const { insertion, editor, hint = t.addressHint, note, onClose } = props;
  const [isChange] = useState(() => editor.isActive(insertion));
  const [fields, setFields] = useState(() => read(editor, insertion));
  const [error, setError] = useState<string>();
  const change = (part: Partial<Fields>) => setFields({ ...fields, ...part });
  // An image that is embedded in the text, or a part of the message, has no address that could be changed.
  const [hasAddress] = useState(
    () => !isChange || insertion !== 'image' || new RegExp(`^${SOURCE}`).test(fields.url),
  );
  return (
    <Dialog stays title={isChange ? t.edit[insertion] : t[insertion]} onClose={onClose}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          // React passes the events of a dialog to the form that contains the editor.
          event.stopPropagation();
          const url = insertion === 'image' ? fields.url : completeLink(fields.url);
          if (insertion !== 'image' && !isLink(url)) return setError(t.noLink);
          write(editor, insertion, { ...fields, url }, isChange);
          onClose();
        }}
      >
        {note && <p className="rounded-lg bg-warn-tint px-4 py-3 text-warn">{note}</p>}
        {insertion === 'button' && (
          <TextField
            label={t.buttonText}
            value={fields.text}
            required
            autoFocus
            onChange={(event) => change({ text: event.target.value })}
          />
        )}
        {hasAddress && (
          <TextField
            label={insertion === 'image' ? t.imageAddress : t.address}
            hint={insertion === 'image' ? undefined : hint}
            placeholder="https://"
            value={fields.url}
            required
            autoFocus={insertion !== 'button'}
            {...(insertion === 'image' && { pattern: SOURCE })}
            error={error}
            onChange={(event) => change({ url: event.target.value })}
          />
        )}
        {insertion === 'image' && <ImageFields fields={fields} change={change} autoFocus={!hasAddress} />}
        <DialogActions>
          {isChange && (
            <Button
              className="mr-auto"
              onClick={() => {
                remove(editor, insertion);
                onClose();
              }}
            >
              {insertion === 'link' ? t.removeLink : t.remove}
            </Button>
          )}
          <Button onClick={onClose}>{texts.common.cancel}</Button>
          <Button type="submit" look="primary">
            {isChange ? texts.common.save : t.insert}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface ImageFieldsProps {
  fields: Fields;
  change(part: Partial<Fields>): void;
  autoFocus: boolean;
}

function ImageFields({ fields, change, autoFocus }: ImageFieldsProps) {
  return (
    <>
      <TextField
        label={t.imageAlt}
        hint={t.imageAltHint}
        value={fields.text}
        autoFocus={autoFocus}
        onChange={(event) => change({ text: event.target.value })}
      />
      <TextField
        label={t.imageWidth}
        hint={t.imageWidthHint}
        type="number"
        min={1}
        max={MOST_PIXELS}
        value={fields.width}
        onChange={(event) => change({ width: event.target.value })}
      />
    </>
  );
}

function read(editor: Editor, insertion: Insertion): Fields {
  const { text, url, src, href, alt, width } = editor.getAttributes(insertion) as Record<string, unknown>;
  return { text: asText(text ?? alt), url: asText(url ?? src ?? href), width: asText(width) };
}

function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function write(editor: Editor, insertion: Insertion, { text, url, width }: Fields, isChange: boolean): void {
  if (insertion === 'link') return writeLink(editor, url, isChange);
  // The height follows from the width.
  const size = { width: width === '' ? null : Number(width), height: null };
  const isAsWide = isChange && asText(editor.getAttributes('image')['width']) === width;
  const attrs = insertion === 'button' ? { text, url } : { src: url, alt: text, ...(isAsWide ? {} : size) };
  if (isChange) changeOnce(editor, (chain) => chain.updateAttributes(insertion, attrs));
  else insertBlock(editor, { type: insertion, attrs });
}

/**
 * Turns selected text into a link. Otherwise, and when a button or an image is selected, inserts the address itself as
 * a link.
 */
function writeLink(editor: Editor, href: string, isChange: boolean): void {
  const { selection } = editor.state;
  const isNew = !isChange && (selection.empty || selection instanceof NodeSelection);
  const content = { type: 'text', text: href, marks: [{ type: 'link', attrs: { href } }] };
  changeOnce(editor, (chain) =>
    isNew
      ? chain.command(({ tr }) => leaveNode(tr) || true).insertContent(content)
      : chain.extendMarkRange('link').setLink({ href }),
  );
}

function remove(editor: Editor, insertion: Insertion): void {
  changeOnce(editor, (chain) =>
    insertion === 'link' ? chain.extendMarkRange('link').unsetLink() : chain.deleteSelection(),
  );
}
