/** Reads messages in batches. The next batch is read while the current one is written to the client. */
export async function* readAhead<Result>(
  uids: readonly number[],
  size: number,
  read: (uids: readonly number[]) => Promise<Result>,
): AsyncGenerator<[readonly number[], Result]> {
  const readAt = (at: number) => {
    const asked = uids.slice(at, at + size);
    const reading = read(asked);
    // The promise is awaited later, or never if the client has disconnected.
    reading.catch(() => {});
    return { asked, reading };
  };
  let next = uids.length > 0 ? readAt(0) : null;
  for (let at = size; next; at += size) {
    const { asked, reading }: { asked: readonly number[]; reading: Promise<Result> } = next;
    const result = await reading;
    next = at < uids.length ? readAt(at) : null;
    yield [asked, result];
  }
}
