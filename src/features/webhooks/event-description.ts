export type EventFields = Record<string, { description: string; example: unknown }>;

export interface EventDescription {
  description: string;
  fields: EventFields;
}
