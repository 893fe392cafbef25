import { editorTexts } from '../texts/en/editor.ts';

/** Lists the marked tags in a sentence, also for people who cannot see the marks. */
export function UnknownTags({ names }: { names: readonly string[] }) {
  return (
    <p role="status" className={names.length > 0 ? 'mt-1.5 text-[0.8125rem] text-warn' : 'sr-only'}>
      {names.length > 0 && editorTexts.unknownTags(names.map((name) => `{{${name}}}`).join(', '))}
    </p>
  );
}
