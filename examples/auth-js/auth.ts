/**
 * Auth.js sends its sign-in links through Posthorn.
 *
 * By SMTP: the provider of Auth.js for Nodemailer takes `smtpServer`.
 *
 *   import Nodemailer from 'next-auth/providers/nodemailer';
 *   NextAuth({ adapter, providers: [Nodemailer({ server: smtpServer(), from: process.env.MAIL_FROM })] });
 *
 * By HTTP: a provider of your own.
 *
 *   NextAuth({ adapter, providers: [posthornProvider()] });
 */
import { createPosthorn } from 'posthorn-client';

/** The user name may be any text. The password is an API key that may send. */
export function smtpServer() {
  return {
    host: process.env.POSTHORN_SMTP_HOST!,
    port: Number(process.env.POSTHORN_SMTP_PORT ?? 587),
    requireTLS: true,
    auth: { user: 'posthorn', pass: process.env.POSTHORN_KEY! },
  };
}

export function posthornProvider() {
  return {
    id: 'posthorn',
    type: 'email' as const,
    name: 'Email',
    from: process.env.MAIL_FROM!,
    maxAge: 24 * 60 * 60,
    options: {},
    async sendVerificationRequest({ identifier, url }: { identifier: string; url: string }): Promise<void> {
      const posthorn = createPosthorn({
        apiKey: process.env.POSTHORN_KEY!,
        baseUrl: process.env.POSTHORN_URL!,
      });
      await posthorn.emails.send({
        from: process.env.MAIL_FROM!,
        to: identifier,
        subject: `Sign in to ${new URL(url).host}`,
        text: `Open this link to sign in:\n${url}\n`,
      });
    },
  };
}
