/** Shows the message in the width of a desktop or a phone. */
import { ToggleGroup } from 'radix-ui';
import { useState } from 'react';
import { MessageFrame } from '../ui/message-frame.tsx';
import { texts } from '../texts/en.ts';

const t = texts.editor;
interface MessagePreviewProps {
  html: string;
  note?: string;
}

export function MessagePreview({ html, note = t.previewNote }: MessagePreviewProps) {
  const [size, setSize] = useState<'desktop' | 'phone'>('desktop');
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <ToggleGroup.Root
          type="single"
          aria-label={t.previewSize}
          value={size}
          onValueChange={(value) => value && setSize(value as 'desktop' | 'phone')}
          className="inline-flex rounded-lg border border-line p-0.5"
        >
          {(['desktop', 'phone'] as const).map((each) => (
            <ToggleGroup.Item
              key={each}
              value={each}
              className="h-7 rounded-md px-3 text-soft data-[state=on]:bg-hover data-[state=on]:text-ink"
            >
              {each === 'desktop' ? t.previewDesktop : t.previewPhone}
            </ToggleGroup.Item>
          ))}
        </ToggleGroup.Root>
        <p className="text-[0.8125rem] text-soft">{note}</p>
      </div>
      <div className={size === 'phone' ? 'mx-auto w-full max-w-[390px]' : undefined}>
        <MessageFrame html={html} title={texts.emails.previewTitle} className="h-[36rem]" />
      </div>
    </>
  );
}
