/** What the fields of a step get. */
import type { Options } from '../../../ui/options.ts';
import type { StepOf, StepType } from '../steps/tree.ts';
import type { Choices } from '../data/use-choices.ts';

export interface FieldsOf<Type extends StepType> {
  step: StepOf<Type>;
  /** Fields that are undefined are removed. */
  set(part: { [Name in keyof StepOf<Type>]?: StepOf<Type>[Name] | undefined }): void;
  choices: Choices;
  /** The variables of the contact book. */
  properties: readonly string[];
  /** The emails of the automation, for conditions. */
  runFields: Options;
}
