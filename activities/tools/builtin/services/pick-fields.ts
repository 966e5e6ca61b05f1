/**
 * Returns the given members of an object, or of each object of a list, as far as they are there: what APIs answer
 * beside them would fill a model's context. A name with dots, such as `user.login`, keeps only that of a member.
 */
export function pickFields(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => pickFields(each, names));
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.fromEntries(
    [...wantedOf(names)].flatMap(([name, inner]) => {
      const member = members.get(name);
      if (member === undefined || member === null) return [];
      return [[name, inner.length === 0 ? member : pickFields(member, inner)]];
    }),
  );
}

/** Returns the names of members, each with what is wanted of it; nothing there means all. */
function wantedOf(names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  for (const name of names) {
    const [first = '', ...rest] = name.split('.');
    const inner = wanted.get(first) ?? [];
    wanted.set(first, rest.length === 0 ? inner : [...inner, rest.join('.')]);
  }
  return wanted;
}
