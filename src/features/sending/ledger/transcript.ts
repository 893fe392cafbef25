/**
 * The SMTP sessions of delivered campaign emails, as the ledger keeps them. The return path and the address follow from
 * the row, and would be half of its bytes.
 */
const MAIL = '> MAIL FROM:<';
const SENDER = '$sender';
const RECIPIENT = '$recipient';

export function shortenTranscript(lines: string[], recipient: string): string[] {
  return lines.map((line) => {
    if (line.startsWith(MAIL)) return `${MAIL}${SENDER}${line.slice(line.indexOf('>', MAIL.length))}`;
    return line.startsWith('> RCPT') ? line.replace(`<${recipient}>`, `<${RECIPIENT}>`) : line;
  });
}

export function restoreTranscript(
  lines: string[],
  { returnPath, recipient }: { returnPath: string; recipient: string },
): string[] {
  return lines.map((line) => {
    if (line.startsWith(MAIL)) return line.replace(SENDER, () => returnPath);
    return line.startsWith('> RCPT') ? line.replace(RECIPIENT, () => recipient) : line;
  });
}
