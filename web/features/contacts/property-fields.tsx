import { Plus, X } from 'lucide-react';
import { contactTexts } from '../../texts/en/contacts.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Property } from './contact-input.ts';

const t = contactTexts;

interface PropertyFieldsProps {
  properties: Property[];
  onChange(properties: Property[]): void;
}

export function PropertyFields({ properties, onChange }: PropertyFieldsProps) {
  const change = (at: number, part: Partial<Property>) =>
    onChange(properties.map((property, index) => (index === at ? { ...property, ...part } : property)));
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{t.properties}</legend>
      <div className="space-y-2">
        {properties.map((property, index) => (
          <div key={index} className="grid grid-cols-[1fr_1fr_2rem] items-center gap-2">
            <TextField
              bare
              label={t.property}
              placeholder={t.property}
              value={property.name}
              readOnly={property.fixed}
              onChange={(event) => change(index, { name: event.target.value })}
            />
            <TextField
              bare
              label={property.name ? `${t.value}: ${property.name}` : t.value}
              placeholder={t.value}
              value={property.value}
              onChange={(event) => change(index, { value: event.target.value })}
            />
            <IconButton
              icon={X}
              label={t.removeProperty(property.name)}
              onClick={() => onChange(properties.filter((_, at) => at !== index))}
            />
          </div>
        ))}
      </div>
      <Button
        size="small"
        look="quiet"
        icon={Plus}
        className="mt-1 -ml-2.5"
        onClick={() => onChange([...properties, { name: '', value: '', fixed: false }])}
      >
        {t.addProperty}
      </Button>
    </fieldset>
  );
}
