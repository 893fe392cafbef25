/** Shows a message as email apps do: wide, on a phone, in dark mode, with or without images, or as plain text. */
import { ToggleGroup } from 'radix-ui';
import { useState } from 'react';
import { MessageFrame } from '../ui/message-frame.tsx';
import { emailTexts } from '../texts/en/emails.ts';
import { editorTexts } from '../texts/en/editor.ts';

const t = editorTexts;
const ITEM =
  'h-7 rounded-md px-3 pointer-coarse:h-10 text-soft data-[state=on]:bg-hover data-[state=on]:text-ink';
const GROUP = 'inline-flex rounded-lg border border-line p-0.5';

interface MessagePreviewProps {
  html: string;
  /** The text part, if it is known. */
  text?: string;
  note?: string;
  height?: string;
}

type View = 'desktop' | 'phone' | 'text';

export function MessagePreview({
  html,
  text,
  note = t.previewNote,
  height = 'h-[36rem]',
}: MessagePreviewProps) {
  const [view, setView] = useState<View>('desktop');
  const [extras, setExtras] = useState<string[]>(['images']);
  const views: [View, string][] = [
    ['desktop', t.previewDesktop],
    ['phone', t.previewPhone],
    ...(text === undefined ? [] : [['text', t.previewText] as [View, string]]),
  ];
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <ToggleGroup.Root
          type="single"
          aria-label={t.previewSize}
          value={view}
          onValueChange={(value) => value && setView(value as View)}
          className={GROUP}
        >
          {views.map(([id, name]) => (
            <ToggleGroup.Item key={id} value={id} className={ITEM}>
              {name}
            </ToggleGroup.Item>
          ))}
        </ToggleGroup.Root>
        <ToggleGroup.Root
          type="multiple"
          aria-label={t.previewExtras}
          value={extras}
          onValueChange={setExtras}
          disabled={view === 'text'}
          className={GROUP}
        >
          <ToggleGroup.Item value="dark" className={ITEM}>
            {t.previewDark}
          </ToggleGroup.Item>
          <ToggleGroup.Item value="images" className={ITEM}>
            {t.previewImages}
          </ToggleGroup.Item>
        </ToggleGroup.Root>
        {note && <p className="text-[0.8125rem] text-soft sm:ml-auto">{note}</p>}
      </div>
      {view === 'text' ? (
        <pre
          // The keyboard can scroll it only if it can have the focus.
          tabIndex={0}
          role="region"
          aria-label={t.previewText}
          className={`overflow-y-auto rounded-xl border border-line bg-raised p-4 font-sans break-words whitespace-pre-wrap ${height}`}
        >
          {text}
        </pre>
      ) : (
        <div className={view === 'phone' ? 'mx-auto w-full max-w-[390px]' : undefined}>
          <MessageFrame
            html={html}
            title={emailTexts.previewTitle}
            className={height}
            images={extras.includes('images')}
            dark={extras.includes('dark')}
          />
        </div>
      )}
    </>
  );
}
