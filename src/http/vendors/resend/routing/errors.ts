/** Errors as Resend returns them: `{"statusCode": 422, "name": "validation_error", "message": "…"}`. */
import { IN_PROGRESS } from '../../../../features/account/idempotency/idempotency.ts';
import type { ErrorForm } from '../../../../features/api/route.ts';
import type { AppError, ErrorCode } from '../../../../platform/errors.ts';

type Named = [statusCode: number, name: string];

const NAMES: Record<ErrorCode, Named> = {
  BAD_REQUEST: [422, 'validation_error'],
  UNAUTHORIZED: [403, 'invalid_api_key'],
  FORBIDDEN: [401, 'restricted_api_key'],
  NOT_FOUND: [404, 'not_found'],
  METHOD_NOT_ALLOWED: [405, 'method_not_allowed'],
  CONFLICT: [409, 'validation_error'],
  already_sent: [422, 'validation_error'],
  TOO_LARGE: [413, 'validation_error'],
  IDEMPOTENCY_MISMATCH: [409, 'invalid_idempotent_request'],
  RATE_LIMITED: [429, 'rate_limit_exceeded'],
  INTERNAL: [500, 'internal_server_error'],
  NOT_IMPLEMENTED: [501, 'application_error'],
  UNAVAILABLE: [503, 'application_error'],
};

const UNVERIFIED = /^from must use a (?:verified domain|domain that your team has verified)/;
const REQUIRED = /^\/(?:from|subject)$/;
const INVALID_KEY = /^Idempotency-Key must /;

export const resendErrors: ErrorForm = (error, header) => {
  const [statusCode, name] = nameError(error, header('authorization') !== undefined);
  return { status: statusCode, body: { statusCode, name, message: toTheirNames(error.message) } };
};

/** Operations use the field names of our own API. */
function toTheirNames(message: string): string {
  return message.replace(/^scheduledAt /, 'scheduled_at ').replace(/^address must /, 'email_address must ');
}

function nameError({ code, message, issues }: AppError, hasKey: boolean): Named {
  if (code === 'UNAUTHORIZED' && !hasKey) return [401, 'missing_api_key'];
  if (code === 'CONFLICT' && message === IN_PROGRESS) return [409, 'concurrent_idempotent_requests'];
  if (code !== 'BAD_REQUEST') return NAMES[code];
  if (INVALID_KEY.test(message)) return [400, 'invalid_idempotency_key'];
  if (UNVERIFIED.test(message)) return [403, 'validation_error'];
  const { path = '', message: fault = '' } = issues?.[0] ?? {};
  if (path.startsWith('/attachments')) return [422, 'invalid_attachment'];
  if (/^(is|or text is) required/.test(fault) || (REQUIRED.test(path) && fault === 'must not be empty'))
    return [422, 'missing_required_field'];
  if (path === '/from') return [422, 'invalid_from_address'];
  return NAMES.BAD_REQUEST;
}
