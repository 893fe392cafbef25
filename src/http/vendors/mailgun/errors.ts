/** Errors as Mailgun returns them: `{"message": "…"}`. */
import type { ErrorForm } from '../../../features/api/route.ts';
import { STATUS_OF } from '../../requests/error-answer.ts';

export const mailgunErrors: ErrorForm = ({ code, message }) => ({
  status: STATUS_OF[code],
  body: { message: code === 'UNAUTHORIZED' ? 'Invalid private key' : message },
  challenge: 'Basic realm="Mailgun API"',
});
