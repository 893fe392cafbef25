/** Declares a route of the SendGrid door, and the parts that its shapes share. */
import { z } from 'zod';
import type { OtherResponse } from '../../../features/api/route.ts';
import { badRequest } from '../../../platform/errors.ts';
import { integerText, text } from '../../../platform/schema.ts';
import { readBearer } from '../../routing/authenticate.ts';
import { createVendorRoute } from '../../routing/vendor-route.ts';
import { sendgridErrors } from './errors.ts';

export const sendgridRoute = createVendorRoute('SendGrid', {
  errorForm: sendgridErrors,
  readKey(header) {
    // The request is for another account than that of the key.
    if (header('on-behalf-of') !== undefined)
      throw badRequest('Subusers are not supported. Use an API key of the other team.');
    return readBearer(header('authorization'));
  },
});

export const NOTHING = z.object({});

export function respondEmpty(): OtherResponse {
  return { status: 204 };
}

export function respondCreated(body: unknown): OtherResponse {
  return { status: 201, body };
}

/** The query parameters that `collect` takes. */
export const listQuery = {
  limit: integerText(1, 500).default(500),
  offset: integerText(0, 10_000).default(0),
};

export const address = text({ min: 1, max: 320 });
export const recipientEmails = z.strictObject({ recipient_emails: z.array(address).min(1).max(1_000) });

export function toUnixTime(iso: string): number {
  return Math.floor(Date.parse(iso) / 1000);
}
