import { texts } from '../texts/en.ts';

/** Tells about the marked tags in words, for everyone and for people who do not see the marks. */
export function UnknownTags({ names }: { names: readonly string[] }) {
  return (
    <p role="status" className={names.length > 0 ? 'mt-1.5 text-[0.8125rem] text-warn' : 'sr-only'}>
      {names.length > 0 && texts.editor.unknownTags(names.map((name) => `{{${name}}}`).join(', '))}
    </p>
  );
}
