/** Sends both emails, as Better Auth does for someone who signs up and later forgets the password. */
import { emails } from './auth.ts';

const user = { email: process.env.MAIL_TO! };
const url = 'http://localhost:3000/api/auth?token=1';
await emails.emailVerification.sendVerificationEmail({ user, url });
await emails.emailAndPassword.sendResetPassword({ user, url });
console.log(`Sent two emails to ${user.email}.`);
