/**
 * A door whose paths are mounted on the HTTP server. It gets a request and returns a response without using node's
 * objects.
 */

export interface MountedRequest {
  method: string;
  path: string;
  /** The first value of each name. */
  query: Record<string, string>;
  header(name: string): string | undefined;
  /** The address of the client, also behind a proxy. */
  ip: string;
  /** Calls `listener` when the client has disconnected. Returns a function that removes it. */
  onDisconnect(listener: () => void): () => void;
  /** Parses the body as JSON with limits on depth and number of values. Large bodies take turns. */
  readJson(limitBytes: number, teamId: number): Promise<unknown>;
  /** Runs `work` with the body. The memory of the body stays reserved until the work ends. */
  withBody<Result>(
    limitBytes: number,
    teamId: number,
    work: (body: Buffer) => Promise<Result>,
  ): Promise<Result>;
}

export interface MountedAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

export interface MountedDoor {
  /** Returns the pattern of the path for logs and metrics, or null if the path does not belong to this door. */
  nameOf(path: string): string | null;
  answer(request: MountedRequest): Promise<MountedAnswer>;
}
