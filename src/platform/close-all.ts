/** Waits until everything has closed, even if one of them fails, and then throws the first failure. */
export async function closeAll(closing: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(closing))
    if (outcome.status === 'rejected') throw outcome.reason;
}
