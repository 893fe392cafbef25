import { Link } from '@tanstack/react-router';
import { useServerBack } from '../api/server-back.ts';
import { texts } from '../texts/en.ts';
import { Button, buttonClasses } from '../ui/button.tsx';

const t = texts.errors;

export function NotFoundPage() {
  return (
    <div className="mx-auto max-w-md px-6 py-24 text-center">
      <h1 className="text-xl font-semibold">{t.notFoundTitle}</h1>
      <p className="mt-2 mb-5 text-soft">{t.notFound}</p>
      <Link to="/" className={buttonClasses()}>
        {t.toOverview}
      </Link>
    </div>
  );
}

/** The not-found page outside of the shell. */
export function StandaloneNotFoundPage() {
  return (
    <main>
      <NotFoundPage />
    </main>
  );
}

/** Shown when a page threw an error or its script did not load, most often because the server has a new version. */
export function ErrorPage() {
  const isAway = useServerBack(() => window.location.reload());
  return (
    <div role="alert" className="mx-auto max-w-md px-6 py-24 text-center">
      <h1 className="text-xl font-semibold">{t.pageFailed}</h1>
      <p className="mt-2 mb-5 text-soft">{isAway ? t.offline : t.unexpected}</p>
      <Button onClick={() => window.location.reload()}>{t.reload}</Button>
    </div>
  );
}
