const STORED_AS = 'posthorn.mailbox';

export function lastMailbox(): string | null {
  return localStorage.getItem(STORED_AS);
}

export function rememberMailbox(id: string): void {
  localStorage.setItem(STORED_AS, id);
}
