/** Declares a route of the Resend door. */
import { z } from 'zod';
import { readBearer } from '../../../routing/authenticate.ts';
import { createVendorRoute } from '../../../routing/vendor-route.ts';
import { resendErrors } from './errors.ts';

export const resendRoute = createVendorRoute('Resend', {
  errorForm: resendErrors,
  readKey: (header) => readBearer(header('authorization')),
});

/** The SDKs of some languages repeat path parameters in the body. */
export function repeated<Name extends string>(...names: Name[]) {
  return Object.fromEntries(names.map((name) => [name, z.unknown().optional()])) as Record<
    Name,
    z.ZodOptional<z.ZodUnknown>
  >;
}
