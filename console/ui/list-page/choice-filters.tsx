import type { ReactNode } from 'react';
import type { MenuItem } from '../overlays/menu.tsx';
import { type ActiveFilter, FilterChips } from '../page/filter-chips.tsx';
import { showInvisible } from '../visible.ts';

/** A value that a list can be narrowed to. */
interface FilterChoice {
  readonly value: string;
  readonly label: string;
}

/** One way in which a list can be narrowed: to the rows with one of a few values. */
interface ChoiceFilter<Key extends string> {
  readonly key: Key;
  /** What the values are of: "Status". */
  readonly label: string;
  /** The value that narrows the list now. */
  readonly value: string | undefined;
  readonly choices: readonly FilterChoice[];
}

interface ChoiceFiltersProps<Key extends string> {
  readonly filters: readonly ChoiceFilter<Key>[];
  /** Sets the filters that are named, and takes those away that are undefined. */
  readonly onChange: (changes: { readonly [K in Key]?: string | undefined }) => void;
}

/** How many values of one kind the menu offers at most. */
const MOST_OFFERED = 50;

/** The filters of a list, each by one of a few values: those that are set as chips, the others in a menu. */
export function ChoiceFilters<Key extends string>({ filters, onChange }: ChoiceFiltersProps<Key>): ReactNode {
  const change = (key: Key, value: string | undefined) => onChange(changesOf([[key, value]]));
  const active = filters.flatMap(({ key, label, value, choices }): ActiveFilter[] => {
    if (value === undefined) return [];
    const words = choices.find((choice) => choice.value === value)?.label ?? value;
    return [{ key, label: `${label}: ${showInvisible(words)}`, onRemove: () => change(key, undefined) }];
  });
  const more = filters.flatMap(({ key, label, value: set, choices }) =>
    choices
      .filter(({ value }) => value !== set)
      .slice(0, MOST_OFFERED)
      .map(({ value, label: words }, at): MenuItem => ({
        key: `${key} ${value}`,
        label: showInvisible(words),
        ...(at === 0 && { heading: label }),
        run: () => change(key, value),
      })),
  );
  const clear = () => onChange(changesOf(filters.map(({ key }) => [key, undefined])));
  return <FilterChips active={active} more={more} onClear={clear} />;
}

function changesOf<Key extends string>(entries: readonly (readonly [Key, string | undefined])[]) {
  return Object.fromEntries(entries) as { readonly [K in Key]?: string | undefined };
}

/** Returns records as values to choose from: by their ids, under their names. */
export function choicesOf(records: readonly { readonly id: string; readonly name: string }[]): readonly FilterChoice[] {
  return records.map(({ id, name }) => ({ value: id, label: name }));
}
