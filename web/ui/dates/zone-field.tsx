import { useState } from 'react';
import { SelectField } from '../field.tsx';
import { allZones } from './local-times.ts';
import type { Options } from '../options.ts';
import { OWN_ZONE, offsetOf } from './time-zone.ts';

interface ZoneFieldProps {
  label: string;
  value: string;
  onChange(event: { target: { value: string } }): void;
  /** The time for which the offsets are shown, because they change with the clocks. */
  at?: Date;
}

/** All time zones with their offsets. Computing the offsets takes a while, so it happens when the list opens. */
export function ZoneField({ at, ...field }: ZoneFieldProps) {
  const [options, setOptions] = useState<Options>([]);
  const chosen = [field.value, showZone(field.value)] as const;
  return (
    <SelectField
      {...field}
      hasSearch
      options={options.length > 0 ? options : [chosen]}
      onOpen={() => setOptions(listZones(field.value, at))}
    />
  );
}

/** The user's own zone and UTC come first, then all others by name. */
function listZones(value: string, at = new Date()): Options {
  const moment = Number.isNaN(at.getTime()) ? new Date() : at;
  return [...new Set([OWN_ZONE, 'UTC', value, ...allZones()])].map((zone) => [
    zone,
    showZone(zone),
    zone === 'UTC' ? '' : offsetOf(moment, zone),
  ]);
}

/** Cities that some browsers list under their former names. */
const RENAMED: Record<string, string> = {
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho Chi Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Truk': 'Pacific/Chuuk',
};

function showZone(zone: string): string {
  return RENAMED[zone] ?? zone.replaceAll('_', ' ');
}
