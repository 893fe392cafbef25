/**
 * Better Auth sends its emails through Posthorn.
 *
 *   import { betterAuth } from 'better-auth';
 *   export const auth = betterAuth({ database, ...emails });
 */
import { createPosthorn } from 'posthorn-client';

interface Request {
  user: { email: string };
  url: string;
}

async function send(to: string, subject: string, text: string): Promise<void> {
  const posthorn = createPosthorn({
    apiKey: process.env.POSTHORN_KEY!,
    baseUrl: process.env.POSTHORN_URL!,
  });
  await posthorn.emails.send({ from: process.env.MAIL_FROM!, to, subject, text });
}

export const emails = {
  emailAndPassword: {
    enabled: true,
    sendResetPassword: ({ user, url }: Request) =>
      send(user.email, 'Reset your password', `Open this link to choose a new password:\n${url}\n`),
  },
  emailVerification: {
    sendVerificationEmail: ({ user, url }: Request) =>
      send(user.email, 'Confirm your address', `Open this link to confirm your address:\n${url}\n`),
  },
};
