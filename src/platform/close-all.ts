/** Waits until everything has closed, also behind one that fails, and then throws what the first failure was. */
export async function closeAll(closing: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(closing))
    if (outcome.status === 'rejected') throw outcome.reason;
}
