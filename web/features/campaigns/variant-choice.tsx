import type { Campaign } from '../../../src/features/campaigns/campaigns.schema.ts';
import { abTestTexts } from '../../texts/en/ab-test.ts';
import { SelectField } from '../../ui/field.tsx';
import { letterOf } from './variant-fields.ts';

interface VariantChoiceProps {
  campaign: Campaign;
  value: string;
  bare?: boolean;
  onChange(event: { target: { value: string } }): void;
}

/** Chooses one of the variants. Shows nothing for a campaign without an A/B test. */
export function VariantChoice({ campaign: { variants }, ...field }: VariantChoiceProps) {
  if (variants === null) return null;
  return (
    <SelectField
      label={abTestTexts.name}
      {...field}
      options={variants.map((_variant, position) => [
        String(position),
        abTestTexts.variant(letterOf(position)),
      ])}
    />
  );
}
