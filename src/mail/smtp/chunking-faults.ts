/** The servers that announce CHUNKING but do not know BDAT. They are forgotten when the process ends. */
const MAX_SERVERS = 10_000;
const servers = new Set<string>();

export const chunkingFaults = {
  has: (server: string): boolean => servers.has(server),
  add(server: string): void {
    if (servers.size >= MAX_SERVERS) servers.delete(servers.values().next().value!);
    servers.add(server);
  },
};
