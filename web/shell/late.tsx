/**
 * A part of a page that is loaded on demand. If it cannot be loaded, it shows the error in its place and can be
 * retried; the rest of the page stays.
 */
import { useEffect, useRef, useState, type ComponentType } from 'react';
import { serverAnswers } from '../api/server-back.ts';

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
          // If the server responds but the script fails, the script was replaced by a new version, or the browser has
          // cached the failure, which the standard allows. Only a reload helps.
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

/** The browser does not retry a stylesheet that failed to load. */
function fetchStylesAgain(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
    if (!link.sheet) link.replaceWith(link.cloneNode());
}
