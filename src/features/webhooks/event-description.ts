export type Fields = Record<string, { description: string; example: unknown }>;

export interface EventDescription {
  description: string;
  fields: Fields;
}
