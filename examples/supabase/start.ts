/** Sends a signed hook to the function, as Supabase Auth does when someone asks for a new password. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { sendEmail } from './index.ts';

const secret = randomBytes(24).toString('base64');
const body = JSON.stringify({
  user: { email: process.env.MAIL_TO },
  email_data: {
    token: '123456',
    token_hash: 'hash',
    redirect_to: 'http://localhost:3000',
    email_action_type: 'recovery',
  },
});
const id = `msg_${randomUUID()}`;
const timestamp = String(Math.floor(Date.now() / 1_000));
const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${id}.${timestamp}.${body}`);
const headers = {
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': `v1,${signature.digest('base64')}`,
};
const response = await sendEmail(
  new Request('http://localhost/send-email', { method: 'POST', headers, body }),
  {
    ...process.env,
    SEND_EMAIL_HOOK_SECRET: `v1,whsec_${secret}`,
    SUPABASE_URL: 'http://localhost:54321',
  },
);
console.log(response.status, await response.text());
if (!response.ok) process.exitCode = 1;
