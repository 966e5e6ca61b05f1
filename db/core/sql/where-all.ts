/** A condition in SQL with a `?` for its value; without a value it does not apply. */
type Condition = readonly [text: string, value: string | undefined];

/**
 * Returns the conditions that apply, joined with `and`, and their values from `$1` on. A statement that holds only what
 * is asked for can be planned for it; one with `$1 is null or ...` is planned for neither.
 */
export function whereAll(conditions: readonly Condition[]): { readonly where: string; readonly values: string[] } {
  const values: string[] = [];
  const parts = conditions.flatMap(([text, value]) => {
    if (value === undefined) return [];
    const place = values.push(value);
    return [text.replace('?', () => `$${place}`)];
  });
  return { where: parts.join(' and '), values };
}
