/**
 * supabase/functions/send-email/index.ts: Supabase Auth calls this function for each of its emails. Set it as the
 * "Send Email" hook, and set SEND_EMAIL_HOOK_SECRET to the secret of the hook. Begin it with
 *
 *   import { createPosthorn, verifyWebhook } from 'npm:posthorn-client';
 *   Deno.serve((request) => sendEmail(request, Deno.env.toObject()));
 */
import { createPosthorn, verifyWebhook, WebhookError } from 'posthorn-client';

const SUBJECTS: Record<string, string> = {
  signup: 'Confirm your address',
  recovery: 'Reset your password',
  magiclink: 'Your sign-in link',
  invite: 'You have been invited',
  email_change: 'Confirm your new address',
  reauthentication: 'Your code',
};

interface Hook {
  user: { email: string };
  email_data: {
    token: string;
    token_hash: string;
    redirect_to: string;
    email_action_type: string;
  };
}

export async function sendEmail(
  request: Request,
  env: Record<string, string | undefined>,
): Promise<Response> {
  const body = await request.text();
  try {
    // Supabase shows the secret with the version of the signature: v1,whsec_…
    await verifyWebhook(body, request.headers, env.SEND_EMAIL_HOOK_SECRET!.replace('v1,', ''));
  } catch (error) {
    if (error instanceof WebhookError)
      return Response.json({ error: { message: error.message } }, { status: 401 });
    throw error;
  }
  const { user, email_data: data } = JSON.parse(body) as Hook;
  const link = new URL('/auth/v1/verify', env.SUPABASE_URL);
  link.search = new URLSearchParams({
    token: data.token_hash,
    type: data.email_action_type,
    redirect_to: data.redirect_to,
  }).toString();
  const posthorn = createPosthorn({ apiKey: env.POSTHORN_KEY!, baseUrl: env.POSTHORN_URL! });
  // Supabase repeats a failed hook with the same ID, so the email is sent only once.
  await posthorn.emails.send(
    {
      from: env.MAIL_FROM!,
      to: user.email,
      subject: SUBJECTS[data.email_action_type] ?? 'Your account',
      text: `Open this link:\n${link.href}\n\nOr enter this code: ${data.token}\n`,
    },
    { idempotencyKey: `supabase ${request.headers.get('webhook-id')}` },
  );
  return Response.json({});
}
