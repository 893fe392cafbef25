/** Which dialog of webmail is open. Navigation, shortcuts and composer open the same ones. */
import { sharedValue } from '../../../api/shared-value.ts';

export type MailDialog =
  | 'shortcuts'
  | 'saved-replies'
  | 'settings'
  | 'new-mailbox'
  | 'new-folder'
  | 'mail-programs'
  | 'automatic-reply'
  | 'rules'
  | 'addresses'
  | 'labels'
  | 'notifications';

const dialog = sharedValue<MailDialog | null>(null);

export const openMailDialog = dialog.set;
export const useMailDialog = dialog.use;
