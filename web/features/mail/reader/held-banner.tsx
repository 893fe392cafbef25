import { Link } from '@tanstack/react-router';
import { mailTexts } from '../../../texts/en/mail.ts';

const t = mailTexts.waiting;

/** Above a message of an agent that leaves when a person approves it. */
export function HeldBanner({ mailboxId }: { mailboxId: string }) {
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg bg-warn-tint px-3 py-2 text-warn">
      <span className="min-w-0 flex-1 basis-40">{t.held}</span>
      <Link
        to="/mail/$mailboxId/approvals"
        params={{ mailboxId }}
        search={{}}
        className="rounded font-medium underline"
      >
        {t.showApproval}
      </Link>
    </div>
  );
}
