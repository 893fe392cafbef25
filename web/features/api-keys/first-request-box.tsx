/** A request that sends an email, to copy in the language of the application. */
import { ToggleGroup } from 'radix-ui';
import { useState } from 'react';
import { apiKeyTexts } from '../../texts/en/api-keys.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.tsx';
import { texts } from '../../texts/en.ts';
import { useVerifiedDomain } from '../domains/test-email.tsx';
import { useSession } from '../people/session.ts';
import { Copy } from 'lucide-react';
import { LANGUAGE_NAMES, LANGUAGES, writeFirstRequest, type Language } from './first-request.ts';

const t = apiKeyTexts;
const STORED_AS = 'posthorn.language';
/** What stands for the key until there is one to show. */
const SOME_KEY = 'YOUR_API_KEY';

export function FirstRequestBox({ apiKey = SOME_KEY }: { apiKey?: string }) {
  const { user } = useSession();
  const domain = useVerifiedDomain();
  const [language, setLanguage] = useState<Language>(
    () => LANGUAGES.find((each) => each === localStorage.getItem(STORED_AS)) ?? 'curl',
  );
  const code = writeFirstRequest(language, {
    url: window.location.origin,
    key: apiKey,
    from: `hello@${domain?.name ?? 'your-domain.example'}`,
    to: user.email,
  });
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-raised">
      <div className="flex items-center gap-x-2 border-b border-line px-2 py-1.5">
        <ToggleGroup.Root
          type="single"
          aria-label={t.language}
          value={language}
          onValueChange={(value) => {
            const chosen = LANGUAGES.find((each) => each === value);
            if (!chosen) return;
            localStorage.setItem(STORED_AS, chosen);
            setLanguage(chosen);
          }}
          className="flex min-w-0 flex-1 overflow-x-auto"
        >
          {LANGUAGES.map((each) => (
            <ToggleGroup.Item
              key={each}
              value={each}
              className="h-8 rounded-lg px-2.5 text-note text-soft hover:text-ink data-[state=on]:bg-hover data-[state=on]:font-medium data-[state=on]:text-ink pointer-coarse:h-10"
            >
              {LANGUAGE_NAMES[each]}
            </ToggleGroup.Item>
          ))}
        </ToggleGroup.Root>
        <Button
          size="small"
          look="quiet"
          icon={Copy}
          onClick={() => void copyText(code, texts.common.copied)}
        >
          {t.copyRequest}
        </Button>
      </div>
      <pre
        // The keyboard can scroll it only if it can have the focus.
        tabIndex={0}
        role="region"
        aria-label={t.firstRequest}
        className="overflow-x-auto p-4 font-mono text-note leading-relaxed -outline-offset-2"
      >
        {code}
      </pre>
    </div>
  );
}
