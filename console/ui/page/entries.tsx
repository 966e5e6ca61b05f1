import type { ReactNode } from 'react';
import { isObject } from '../../../domain/core/objects.ts';
import { showInvisible } from '../visible.ts';
import { Facts } from './page.tsx';

interface EntriesProps {
  readonly entries: Readonly<Record<string, unknown>>;
  /** How many objects and lists are around them. */
  readonly level?: number;
}

/** Shows an object of JSON as a list of names with their values. */
export function Entries({ entries, level = 0 }: EntriesProps): ReactNode {
  return (
    <Facts
      facts={Object.entries(entries).map(([name, value]) => ({
        label: showInvisible(name),
        value: <Value value={value} level={level + 1} />,
      }))}
    />
  );
}

/** What is nested more deeply is written as JSON. */
const MAX_LEVELS = 4;

function Value({ value, level }: { readonly value: unknown; readonly level: number }): ReactNode {
  if (typeof value === 'string') return <span className="pre-wrap">{showInvisible(value)}</span>;
  if (level < MAX_LEVELS && isObject(value)) return <Entries entries={value} level={level} />;
  if (level < MAX_LEVELS && Array.isArray(value))
    return (
      <ul>
        {value.map((each, at) => (
          <li key={at}>
            <Value value={each} level={level + 1} />
          </li>
        ))}
      </ul>
    );
  return <code>{showInvisible(JSON.stringify(value))}</code>;
}
