/** Numbers, percentages and plurals in a language. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

export interface Figures {
  /** Returns a number with separators: 1,234. */
  number(value: number): string;
  /**
   * Formats a number that is already in percent. One bounce among thousands is neither 0% nor 100%, so rates near an end
   * have two decimals, because providers judge complaints by tenths of a percent.
   */
  percent(value: number): string;
  /** Chooses the form of the language for this count. English has `one` and `other`, other languages have more. */
  plural(count: number, forms: Forms): string;
}

export function figuresIn(locale: string): Figures {
  const numbers = new Intl.NumberFormat(locale);
  const rules = new Intl.PluralRules(locale);

  function format(value: number): string {
    const maximumFractionDigits = value < 1 || value > 99 ? 2 : 1;
    return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits }).format(value / 100);
  }

  return {
    number: (value) => numbers.format(value),
    percent(value) {
      if (value > 0 && value < 0.01) return `<${format(0.01)}`;
      if (value < 100 && value > 99.99) return `>${format(99.99)}`;
      return format(value);
    },
    plural: (count, forms) => forms[rules.select(count)] ?? forms.other,
  };
}
