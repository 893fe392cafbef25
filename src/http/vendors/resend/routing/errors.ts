/** Errors as Resend returns them: `{"statusCode": 422, "name": "validation_error", "message": "…"}`. */
import type { ErrorForm } from '../../../../features/api/route.ts';
import { lookUpError, type AppError, type ErrorTable } from '../../../../platform/errors.ts';
import { renameFirstWord } from '../../mapping/rename-first-word.ts';

type Named = [statusCode: number, name: string];

const ERRORS: ErrorTable<Named> = {
  codes: {
    BAD_REQUEST: [422, 'validation_error'],
    UNAUTHORIZED: [403, 'invalid_api_key'],
    FORBIDDEN: [401, 'restricted_api_key'],
    NOT_FOUND: [404, 'not_found'],
    METHOD_NOT_ALLOWED: [405, 'method_not_allowed'],
    CONFLICT: [409, 'validation_error'],
    already_sent: [422, 'validation_error'],
    THREAD_CHANGED: [409, 'validation_error'],
    TOO_LARGE: [413, 'validation_error'],
    IDEMPOTENCY_MISMATCH: [409, 'invalid_idempotent_request'],
    RATE_LIMITED: [429, 'rate_limit_exceeded'],
    INTERNAL: [500, 'internal_server_error'],
    NOT_IMPLEMENTED: [501, 'application_error'],
    UNAVAILABLE: [503, 'application_error'],
  },
  reasons: {
    'unverified-sender': [403, 'validation_error'],
    'sender-of-another-domain': null,
    'invalid-json': null,
    'inactive-recipients': null,
    'request-in-progress': [409, 'concurrent_idempotent_requests'],
    'invalid-idempotency-key': [400, 'invalid_idempotency_key'],
    'folder-exists': null,
    'over-quota': null,
    'no-such-email': null,
    'no-such-template': null,
    'no-such-bounce': null,
    'blocked-by-policy': null,
  },
};

/** Operations use the field names of our own API. */
const FIELDS = { scheduledAt: 'scheduled_at', address: 'email_address' };

/** Fields that may not be empty either. */
const REQUIRED = ['/from', '/subject'];

export const resendErrors: ErrorForm = (error, header) => {
  const [statusCode, name] = nameError(error, header('authorization') !== undefined);
  return { status: statusCode, body: { statusCode, name, message: renameFirstWord(error.message, FIELDS) } };
};

function nameError(error: AppError, hasKey: boolean): Named {
  const { code, reason, issues } = error;
  if (code === 'UNAUTHORIZED' && !hasKey) return [401, 'missing_api_key'];
  if (code !== 'BAD_REQUEST' || reason !== null) return lookUpError(ERRORS, error);
  const { path = '', reason: issue } = issues?.[0] ?? {};
  if (path.startsWith('/attachments')) return [422, 'invalid_attachment'];
  if (issue === 'required' || (issue === 'empty' && REQUIRED.includes(path)))
    return [422, 'missing_required_field'];
  if (path === '/from') return [422, 'invalid_from_address'];
  return ERRORS.codes.BAD_REQUEST;
}
