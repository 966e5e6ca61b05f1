import type { IntegrationKind } from './queries.ts';

type Sets = Pick<IntegrationKind, 'alternatives' | 'combinable'>;

/** Returns the sets of credentials of which one only may be given; an empty one stands for none of them. */
export function waysOf({ alternatives, combinable }: Sets): readonly (readonly string[])[] {
  const isCombinable = (names: readonly string[]) =>
    names.length > 0 && names.every((name) => combinable.includes(name));
  const ways = alternatives.filter((names) => !isCombinable(names));
  // What may stand beside another set may stand alone as well.
  return ways.length > 0 && alternatives.some(isCombinable) ? [...ways, []] : ways;
}

/** Returns the credentials that are asked for when one of those sets was chosen. */
export function fieldsOf(kind: IntegrationKind, way: readonly string[]): IntegrationKind['fields'] {
  const others = waysOf(kind).flat();
  return kind.fields.filter(({ name }) => way.includes(name) || !others.includes(name));
}
