import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Redirects once, with the path at that time, so that the sign-in page does not become the page to return to. */
export function ToSignIn() {
  const navigate = useNavigate();
  const { href } = useRouter().latestLocation;
  const [next] = useState(href);
  useEffect(() => {
    if (!next.startsWith('/sign-in')) void navigate({ to: '/sign-in', search: { next }, replace: true });
  }, [navigate, next]);
  return null;
}
