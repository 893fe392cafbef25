/**
 * A part of a page that is loaded when it is wanted. Where it does not come, as without a connection, it says so in its
 * own place and can be asked for anew; the page around it stays.
 */
import { useEffect, useRef, useState, type ComponentType } from 'react';

interface LatePlaces {
  Waiting: ComponentType;
  Failed: ComponentType<{ retry(): void }>;
}

export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { Waiting, Failed }: LatePlaces,
) {
  let Part: ComponentType<Props> | null = null;
  let loading: Promise<void> | null = null;

  async function fetchPart(): Promise<void> {
    loading ??= load().then((part) => void (Part = part));
    try {
      await loading;
    } catch (error) {
      loading = null;
      throw error;
    }
  }

  function LatePart(props: Props) {
    const [state, setState] = useState(Part ? 'there' : 'waiting');
    const isAgain = useRef(false);
    useEffect(() => {
      if (state !== 'waiting') return undefined;
      let isGone = false;
      const show = (next: string) => isGone || setState(next);
      if (isAgain.current) fetchStylesAgain();
      fetchPart()
        .then(() => show('there'))
        .catch(async () => {
          if (isAgain.current && !isGone && (await serverAnswers())) window.location.reload();
          else show('failed');
        });
      return () => void (isGone = true);
    }, [state]);
    if (state === 'there' && Part) return <Part {...props} />;
    if (state !== 'failed') return <Waiting />;
    return (
      <Failed
        retry={() => {
          isAgain.current = true;
          setState('waiting');
        }}
      />
    );
  }
  return { Part: LatePart, preload: () => void fetchPart().catch(() => null) };
}

/** A style that did not come is not asked for again by itself. */
function fetchStylesAgain(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (!link.sheet) link.replaceWith(link.cloneNode());
}

/**
 * A script that fails although the server is there was replaced by a new version, or the browser remembers that it
 * failed before, as the standard lets it: only a new page helps.
 */
async function serverAnswers(): Promise<boolean> {
  try {
    return (await fetch('/', { method: 'HEAD', cache: 'no-store' })).ok;
  } catch {
    return false;
  }
}
