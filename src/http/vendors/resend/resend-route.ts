/** Declares a route of the Resend door. */
import { readBearer } from '../../routing/authenticate.ts';
import { createVendorRoute } from '../../routing/vendor-route.ts';
import { resendErrors } from './errors.ts';

export const resendRoute = createVendorRoute('Resend', {
  errorForm: resendErrors,
  readKey: (header) => readBearer(header('authorization')),
});
