import { useEffect, useState } from 'react';

/** Whether a media query such as `(min-width: 64rem)` is true, also after the window has changed. */
export function useMediaQuery(media: string): boolean {
  const [isTrue, setIsTrue] = useState(() => window.matchMedia(media).matches);
  useEffect(() => {
    const query = window.matchMedia(media);
    const look = () => setIsTrue(query.matches);
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, [media]);
  return isTrue;
}
