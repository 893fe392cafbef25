/** Errors as SendGrid returns them: `{"errors": [{"message": "…", "field": "from", "help": null}]}`. */
import type { ErrorForm } from '../../../features/api/route.ts';
import { describeIssue, lookUpError, type AppError, type ErrorTable } from '../../../platform/errors.ts';
import { STATUS_OF } from '../../requests/error-answer.ts';

const STATUSES: ErrorTable<number> = {
  codes: STATUS_OF,
  reasons: {
    'unverified-sender': 403,
    'sender-of-another-domain': null,
    'invalid-json': null,
    'inactive-recipients': null,
    'request-in-progress': null,
    'invalid-idempotency-key': null,
    'folder-exists': null,
    'over-quota': null,
    'no-such-email': null,
    'no-such-template': null,
    'no-such-bounce': null,
    'blocked-by-policy': null,
  },
};

export const sendgridErrors: ErrorForm = (error) => ({
  status: lookUpError(STATUSES, error),
  body: { errors: describe(error) },
});

function describe({ reason, message, issues }: AppError) {
  if (!issues?.length) {
    const field = reason === 'unverified-sender' ? 'from' : null;
    return [{ message, field, help: null }];
  }
  return issues.map((issue) => {
    const field = issue.path.slice(1).replaceAll('/', '.');
    return { message: `${describeIssue(issue)}.`, field: field || null, help: null };
  });
}
