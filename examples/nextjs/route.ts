/** app/api/contact/route.ts: a form on a page of Next.js sends an email. */
import { createPosthorn, PosthornError } from 'posthorn-client';

export async function POST(request: Request): Promise<Response> {
  const form = await request.formData();
  const replyTo = form.get('email');
  const message = form.get('message');
  if (typeof replyTo !== 'string' || typeof message !== 'string')
    return Response.json({ error: 'email and message are required' }, { status: 400 });

  const posthorn = createPosthorn({
    apiKey: process.env.POSTHORN_KEY!,
    baseUrl: process.env.POSTHORN_URL!,
  });
  try {
    const { emailId } = await posthorn.emails.send({
      from: process.env.MAIL_FROM!,
      to: process.env.MAIL_TO!,
      replyTo,
      subject: 'Message from the contact form',
      text: message,
    });
    return Response.json({ emailId });
  } catch (error) {
    if (error instanceof PosthornError && error.status === 400)
      return Response.json({ error: error.message }, { status: 400 });
    throw error;
  }
}
