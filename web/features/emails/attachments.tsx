import { Paperclip } from 'lucide-react';
import type { Email } from '../../../src/features/sending/emails/emails.schema.ts';
import { apiUrl } from '../../api/client.ts';
import { emailTexts } from '../../texts/en/emails.ts';
import { buttonClasses } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';

const t = emailTexts;

/** The attachments of an email, to download. */
export function Attachments({ email }: { email: Email }) {
  return (
    <ul className="flex flex-wrap gap-2">
      {email.attachments.map(({ no, filename, size }) => (
        <li key={no} className="max-w-full">
          <a
            href={apiUrl(`/emails/${email.id}/attachments/${no}`)}
            download={filename ?? ''}
            className={`${buttonClasses('plain', 'small')} max-w-full`}
          >
            <Paperclip aria-hidden className="size-3.5 shrink-0" />
            <span className="truncate">{t.download(filename ?? t.unnamedFile, formatBytes(size))}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
