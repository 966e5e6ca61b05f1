import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Pages } from '../../core/http/use-pages.ts';
import { useChangeSearch } from '../../core/routing/search.ts';
import { useText } from '../../core/text/text-context.tsx';
import { SearchField } from '../controls/search-field.tsx';
import { Pager } from '../page/pager.tsx';
import { type Column, Table } from '../page/table.tsx';

/** What a table with a search says, under the names that the texts of capabilities have for it. */
interface TableTexts {
  /** What the table lists. */
  readonly title: string;
  /** Names its search. */
  readonly filter: string;
  /** What is said when no row has the words. */
  readonly none: string;
}

interface Identified {
  readonly id: string;
}

interface SearchedTableProps<T extends Identified> {
  readonly text: TableTexts;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** How many rows the server has, where they are read page by page. */
  readonly total?: number;
  /** What the search looks through, without regard to upper and lower case. */
  readonly wordsOf: (row: T) => readonly (string | null)[];
  /** Whether a short list, which one overlooks, has no search. */
  readonly isShortUnsearched?: boolean;
}

/** From how many rows on a list is long. */
const MANY = 8;

interface Words {
  readonly q?: string;
}

/** A table that is narrowed by words, which the parameter `q` of the page's address keeps. */
export function SearchedTable<T extends Identified>(props: SearchedTableProps<T>): ReactNode {
  const { text, columns, rows, total = rows.length, wordsOf, isShortUnsearched = false } = props;
  const { of } = useText().common;
  const change = useChangeSearch<Words>();
  const { q = '' }: Words = useSearch({ strict: false });
  const wanted = q.toLowerCase();
  const shown = rows.filter((row) => wordsOf(row).join('\n').toLowerCase().includes(wanted));
  return (
    <>
      {(!isShortUnsearched || rows.length >= MANY || q !== '') && (
        <SearchField
          label={text.filter}
          value={q}
          status={shown.length === total ? undefined : of(shown.length, total)}
          onChange={(words) => change({ q: words || undefined })}
        />
      )}
      {shown.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columns} rows={shown} keyOf={idOf} />
      )}
    </>
  );
}

interface PagedTableProps<T extends Identified> {
  readonly text: TableTexts & {
    /** Says how many rows have the words. */
    readonly found: (total: number) => string;
  };
  readonly columns: readonly Column<T>[];
  readonly pages: Pages<T>;
}

/** A table that is read page by page and narrowed by the server: by words, which `q` of the page's address keeps. */
export function PagedTable<T extends Identified>({ text, columns, pages }: PagedTableProps<T>): ReactNode {
  const change = useChangeSearch<Words>();
  const { q = '' }: Words = useSearch({ strict: false });
  const { items = [], total = 0 } = pages.data ?? {};
  return (
    <>
      <SearchField
        label={text.filter}
        value={q}
        status={q === '' ? undefined : text.found(total)}
        onChange={(words) => change({ q: words || undefined })}
      />
      {items.length === 0 ? (
        <p>{text.none}</p>
      ) : (
        <Table label={text.title} columns={columns} rows={items} keyOf={idOf} />
      )}
      <Pager pages={pages} />
    </>
  );
}

function idOf({ id }: Identified): string {
  return id;
}
