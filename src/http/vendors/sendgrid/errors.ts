/** Errors as SendGrid returns them: `{"errors": [{"message": "…", "field": "from", "help": null}]}`. */
import type { ErrorForm } from '../../../features/api/route.ts';
import { describeIssue, type AppError } from '../../../platform/errors.ts';
import { STATUS_OF } from '../../requests/error-answer.ts';

const UNVERIFIED = 'from must use a verified domain';

export const sendgridErrors: ErrorForm = (error) => ({
  status: statusOf(error),
  body: { errors: describe(error) },
});

function statusOf({ code, message }: AppError): number {
  return message.startsWith(UNVERIFIED) ? 403 : STATUS_OF[code];
}

function describe({ message, issues }: AppError) {
  if (!issues?.length) {
    const field = message.startsWith(UNVERIFIED) ? 'from' : null;
    return [{ message, field, help: null }];
  }
  return issues.map((issue) => {
    const field = issue.path.slice(1).replaceAll('/', '.');
    return { message: `${describeIssue(issue)}.`, field: field || null, help: null };
  });
}
