import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Once, and with the address as it was then: the way there must not itself be where to come back to. */
export function ToSignIn() {
  const navigate = useNavigate();
  const { href } = useRouter().latestLocation;
  const [next] = useState(href);
  useEffect(() => {
    if (!next.startsWith('/sign-in')) void navigate({ to: '/sign-in', search: { next }, replace: true });
  }, [navigate, next]);
  return null;
}
