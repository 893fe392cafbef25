/** Waits until all of them have closed, even if one fails, and then throws the first error. */
export async function closeAll(closing: Promise<unknown>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(closing))
    if (outcome.status === 'rejected') throw outcome.reason;
}
