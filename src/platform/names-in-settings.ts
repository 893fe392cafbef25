/** Names of what settings define, such as `mail-2` for EGRESS_MAIL_2. They may also be written as in the setting. */
export function nameInSetting(text: string): string {
  return text.toLowerCase().replaceAll('_', '-');
}
