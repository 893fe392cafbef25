/** The public ID of a delivery: the ID of its email and the number of the recipient, as `eml_…-0`. */
import { decodeId, encodeId } from '../../../platform/ids.ts';
import type { DeliveryKey } from '../claim.ts';

const DELIVERY_ID = /^(eml_[0-9a-z]{26})(?:-(\d{1,4}))?$/;

export function encodeDeliveryId({ emailId, recipientNo }: Omit<DeliveryKey, 'teamId'>): string {
  return `${encodeId('eml', emailId)}-${recipientNo}`;
}

/** The ID of an email refers to all its deliveries, and `recipientNo` is then null. Returns null for any other text. */
export function decodeDeliveryId(id: string): { emailId: string; recipientNo: number | null } | null {
  const [, email, no] = DELIVERY_ID.exec(id) ?? [];
  const emailId = decodeId('eml', email ?? '');
  return emailId === null ? null : { emailId, recipientNo: no === undefined ? null : Number(no) };
}
