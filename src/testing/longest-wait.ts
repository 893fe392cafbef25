/** How long the longest of many small requests took, as a share of the time that the work took. */
export async function longestWait(work: Promise<unknown>, ask: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let isDone = false;
  const ending = work.finally(() => (isDone = true));
  let longest = 0;
  while (!isDone) {
    const askedAt = performance.now();
    await ask();
    longest = Math.max(longest, performance.now() - askedAt);
  }
  await ending;
  return longest / (performance.now() - startedAt);
}
