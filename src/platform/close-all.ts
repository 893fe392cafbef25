/** Waits until everything has closed, also behind one that fails, and then throws what the first failure was. */
export async function closeAll(closing: (Promise<unknown> | null | undefined)[]): Promise<void> {
  const open = closing.filter((one) => one !== null && one !== undefined);
  for (const outcome of await Promise.allSettled(open))
    if (outcome.status === 'rejected') throw outcome.reason;
}
