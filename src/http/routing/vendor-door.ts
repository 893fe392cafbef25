/** The declaration of a door for the clients of another vendor. */
import type { CalledRoute, ErrorForm } from '../../features/api/route.ts';

export interface VendorDoor {
  /** The first part of every path: `/resend`. */
  prefix: string;
  /** Their paths are below the prefix. */
  routes: CalledRoute[];
  errorForm: ErrorForm;
  /** The beginnings of paths for which Posthorn has no counterpart: `/logs`, `/emails/{id}/share`, or of one method: `PUT /server`. */
  missing: string[];
  /** Whether the door is also at the root, for requests that have an API key in `Authorization: Bearer`. */
  isAtRoot: boolean;
}
