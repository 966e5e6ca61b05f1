/**
 * Returns the given members of an object, or of each object of a list, as far as they are there: what APIs answer beside
 * them would fill a model's context.
 */
export function pickFields(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => pickFields(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    names.flatMap((name) => {
      const member = members.get(name);
      return member === undefined || member === null ? [] : [[name, member]];
    }),
  );
}
