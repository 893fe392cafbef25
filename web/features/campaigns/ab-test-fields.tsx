/**
 * Sets up an A/B test in a draft: the variants, the number of recipients in the test, and how the winner is decided.
 */
import { Plus, X } from 'lucide-react';
import { ApiError } from '../../api/client.ts';
import { describeError } from '../../api/describe-error.ts';
import { campaignTexts } from '../../texts/en/campaigns.ts';
import { abTestTexts } from '../../texts/en/ab-test.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, SwitchField, TextAreaField, TextField } from '../../ui/field.tsx';
import { sentence } from '../../ui/form.tsx';
import { EmailEditor } from './email-editor.tsx';
import type { Draft } from './use-draft.ts';
import {
  MAX_VARIANTS,
  MIN_VARIANTS,
  NEW_VARIANT,
  hasOwnContent,
  haveEqualVariants,
  letterOf,
  readVariants,
  writeVariants,
  type VariantFields,
} from './variant-fields.ts';

const t = abTestTexts;

const DURATIONS = [30, 60, 120, 240, 480, 720, 1440, 2880, 4320, 10080];

interface AbTestFieldsProps {
  draft: Draft;
  tracked: { opens: boolean; clicks: boolean };
}

export function AbTestFields({ draft, tracked }: AbTestFieldsProps) {
  const variants = readVariants(draft.fields.variants);
  const isOn = variants.length > 0;
  const store = (changed: VariantFields[]) => draft.change({ variants: writeVariants(changed) });
  return (
    <>
      <SwitchField
        label={t.title}
        hint={t.hint}
        checked={isOn}
        onChange={(on) => store(on ? [NEW_VARIANT, NEW_VARIANT] : [])}
      />
      {isOn && (
        <>
          <div className="space-y-4">
            {variants.map((variant, position) => (
              <VariantCard
                // Variants are identified only by their position.
                key={position}
                draft={draft}
                variant={variant}
                position={position}
                onChange={(part) =>
                  store(variants.map((each, at) => (at === position ? { ...each, ...part } : each)))
                }
                {...(variants.length > MIN_VARIANTS
                  ? { onRemove: () => store(variants.filter((_each, at) => at !== position)) }
                  : {})}
              />
            ))}
          </div>
          {variants.length < MAX_VARIANTS && (
            <Button
              className="mt-3"
              icon={Plus}
              size="small"
              onClick={() => store([...variants, NEW_VARIANT])}
            >
              {t.addVariant}
            </Button>
          )}
          {haveEqualVariants(variants) && (
            <p role="status" className="mt-3 text-warn">
              {t.equal}
            </p>
          )}
          <Problem error={draft.refused.get('variants')} />
          <Decision draft={draft} tracked={tracked} />
        </>
      )}
    </>
  );
}

function Decision({ draft, tracked }: AbTestFieldsProps) {
  const { decideBy, decideAfterMinutes } = draft.fields;
  const minutes = Number(decideAfterMinutes);
  const durations = [...new Set([...DURATIONS, minutes])].toSorted((a, b) => a - b);
  const isBlind =
    (decideBy === 'opens' && !tracked.opens) || (decideBy === 'clicks' && !tracked.clicks) ? decideBy : null;
  return (
    <div className="mt-5 space-y-4 border-t border-line pt-5">
      <TextField
        label={t.testPercent}
        hint={t.testPercentHint}
        type="number"
        min={1}
        max={100}
        {...draft.text('testPercent')}
      />
      <SelectField
        label={t.decideBy}
        hint={decideBy === 'person' ? t.chooseHint : undefined}
        {...draft.text('decideBy')}
        error={isBlind ? t.untracked[isBlind] : draft.text('decideBy').error}
        options={Object.entries(t.deciders)}
      />
      {decideBy !== 'person' && (
        <SelectField
          label={t.decideAfter}
          hint={t.decideAfterHint}
          {...draft.text('decideAfterMinutes')}
          options={durations.map((each) => [String(each), t.duration(each)])}
        />
      )}
    </div>
  );
}

interface VariantCardProps {
  draft: Draft;
  variant: VariantFields;
  position: number;
  onChange(part: Partial<VariantFields>): void;
  onRemove?(): void;
}

function VariantCard({ draft, variant, position, onChange, onRemove }: VariantCardProps) {
  const letter = letterOf(position);
  const { fields } = draft;
  const text = (name: 'subject' | 'from' | 'previewText', shared: string) => ({
    value: variant[name],
    placeholder: shared,
    error: problemAt(draft.refused.get('variants'), position, name),
    onChange: ({ target }: { target: { value: string } }) => onChange({ [name]: target.value }),
  });
  const isOwn = hasOwnContent(variant);
  // New content starts as a copy of the campaign's content.
  const begin = () =>
    onChange(fields.content === null ? { html: fields.html || ' ' } : { content: fields.content });
  return (
    <fieldset className="min-w-0 rounded-lg border border-line bg-paper px-4 pt-3 pb-4">
      <legend className="sr-only">{t.variant(letter)}</legend>
      <div className="mb-3 flex h-8 items-center justify-between">
        <span aria-hidden className="font-semibold">
          {t.variant(letter)}
        </span>
        {onRemove && (
          <Button
            look="quiet"
            size="small"
            icon={X}
            aria-label={t.removeVariant(letter)}
            title={t.removeVariant(letter)}
            onClick={onRemove}
          />
        )}
      </div>
      <div className="space-y-3">
        <TextField label={campaignTexts.subject} {...text('subject', fields.subject)} />
        <TextField
          label={campaignTexts.previewText}
          {...text('previewText', fields.previewText || t.noPreviewText)}
        />
        <TextField label={campaignTexts.from} {...text('from', fields.from)} />
        <SelectField
          label={campaignTexts.content}
          hint={isOwn ? t.editBelow(t.contentOf(letter)) : undefined}
          value={isOwn ? 'own' : 'shared'}
          onChange={({ target }) =>
            target.value === 'own' ? begin() : onChange({ content: null, html: '' })
          }
          options={[
            ['shared', t.asInCampaign],
            ['own', t.ownContent],
          ]}
        />
      </div>
    </fieldset>
  );
}

/** Returns the server's error for one field of a variant. */
function problemAt(error: unknown, position: number, name: string): string | undefined {
  const issues = error instanceof ApiError ? error.issues : [];
  const issue = issues.find(({ path }) => path === `/variants/${position}/${name}`);
  return issue && sentence(issue.message);
}

/** Shows the error of the variants, unless one of their fields shows it. */
function Problem({ error }: { error: unknown }) {
  if (!error) return null;
  const issues = error instanceof ApiError ? error.issues : [];
  if (issues.some(({ path }) => /^\/variants\/\d\/(subject|from|previewText)$/.test(path))) return null;
  return (
    <p role="alert" className="mt-3 text-bad">
      {sentence(describeError(error))}
    </p>
  );
}

/** A tab for each variant that has content of its own. */
export function variantContentTabs(draft: Draft) {
  const variants = readVariants(draft.fields.variants);
  return variants.flatMap((variant, position) => {
    if (!hasOwnContent(variant)) return [];
    const letter = letterOf(position);
    const change = (part: Partial<VariantFields>) =>
      draft.change({
        variants: writeVariants(variants.map((each, at) => (at === position ? { ...each, ...part } : each))),
      });
    const content =
      variant.content === null ? (
        <TextAreaField
          label={campaignTexts.html}
          mono
          rows={20}
          value={variant.html}
          onChange={({ target }) => change({ html: target.value || ' ' })}
        />
      ) : (
        <EmailEditor
          // The editor reads its content only once, so it is recreated when the variants move.
          key={variants.length}
          draft={draft}
          content={variant.content}
          onChange={(changed) => change({ content: changed })}
        />
      );
    return [{ id: `variant-${letter}`, name: t.contentOf(letter), content, stays: true }];
  });
}
