/** Declares a door for the clients of another vendor. */
import type { CalledRoute, ErrorForm } from '../../features/api/route.ts';

export interface VendorDoor {
  /** The first part of every path: `/resend`. */
  prefix: string;
  /** Paths of the routes are below the prefix. */
  routes: CalledRoute[];
  errorForm: ErrorForm;
  /**
   * The beginnings of paths without a counterpart in Posthorn: `/logs`, `/emails/{id}/share`, or of one method: `PUT
   * /server`.
   */
  missing: string[];
  /** True if the door is also at the root, for requests that have an API key in `Authorization: Bearer`. */
  isAtRoot: boolean;
  /**
   * True if a path of Posthorn's own API may be meant. The door then serves only requests with a user name and password
   * (RFC 7617), which this vendor's clients send.
   */
  needsBasic?: boolean;
  /** True if the vendor finds its paths in any case, and its clients write them differently. */
  ignoresCase?: boolean;
}
