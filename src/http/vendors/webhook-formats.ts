/** The webhook formats of vendors, for the worker, which makes the requests. */
import type { VendorFormats } from '../../features/webhooks/format.ts';
import { writeMailgunRequest } from './mailgun/webhook-shape.ts';
import { writePostmarkRequest } from './postmark/webhook-shape.ts';
import { writeResendRequest } from './resend/account/webhook-shape.ts';
import { writeSendgridRequest } from './sendgrid/webhook-shape.ts';

export const WEBHOOK_FORMATS: VendorFormats = {
  resend: writeResendRequest,
  mailgun: writeMailgunRequest,
  postmark: writePostmarkRequest,
  sendgrid: writeSendgridRequest,
};
