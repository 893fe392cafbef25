import { useState } from 'react';
import { useIsDark } from '../../../shell/theme.ts';
import { mailTexts } from '../../../texts/en/mail.ts';
import { toMailDocument } from '../parts/mail-document.ts';
import { MailFrame } from '../parts/mail-frame.tsx';
import { QuoteButton } from '../parts/message-body.tsx';
import type { Composition } from './compositions.ts';

/** The quoted message, collapsed at first. It is sent unchanged. */
export function Quoted({ composition, html }: { composition: Composition; html: string }) {
  const [isShown, setIsShown] = useState(false);
  const { draftId, attachments } = composition;
  const isDark = useIsDark();
  const { source, isOnDark } = toMailDocument(
    { id: draftId ?? '', html, attachments },
    { showImages: false, showQuoted: true, isDark },
  );
  return (
    <>
      <QuoteButton shown={isShown} toggle={() => setIsShown(!isShown)} />
      {isShown && (
        <div className="mt-2">
          <MailFrame source={source} isOnDark={isOnDark} title={mailTexts.compose.showQuoted} />
        </div>
      )}
    </>
  );
}
