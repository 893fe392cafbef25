/** How the message will look, as wide as on a desk or as narrow as on a phone. */
import { ToggleGroup } from 'radix-ui';
import { useState } from 'react';
import { MessageFrame } from '../features/emails/message-frame.tsx';
import { texts } from '../texts/en.ts';

const t = texts.editor;
const FRAME =
  '<style>.mail-button{display:inline-block;padding:10px 18px;background:#23211d;color:#fff;text-decoration:none;border-radius:6px}</style><div style="max-width:600px;margin:0 auto;font-family:Helvetica,Arial,sans-serif;font-size:16px">';

interface MessagePreviewProps {
  html: string;
  isWhole?: boolean;
  note?: string;
}

export function MessagePreview({ html, isWhole, note = t.previewNote }: MessagePreviewProps) {
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
        <MessageFrame
          html={isWhole ? html : `${FRAME}${html}</div>`}
          title={texts.emails.previewTitle}
          className="h-[36rem]"
        />
      </div>
    </>
  );
}
