import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Pages } from '../../core/http/use-pages.ts';
import { useChangeSearch } from '../../core/routing/search.ts';
import { useText } from '../../core/text/text-context.tsx';
import { SearchField } from '../controls/search-field.tsx';
import { Pager } from '../page/pager.tsx';
import { type Column, Table } from '../page/table.tsx';

interface SearchedTableProps<T> {
  /** What the table lists, and what its search looks for. */
  readonly label: string;
  readonly searchLabel: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** What the search looks through, without regard to upper and lower case. */
  readonly wordsOf: (row: T) => readonly (string | null)[];
  /** What is said when no row has the words. */
  readonly none: string;
  /** From how many rows on there is a search; always unless given. */
  readonly searchedFrom?: number;
}

interface Words {
  readonly q?: string;
}

/** A table that is narrowed by words, which the parameter `q` of the page's address keeps. */
export function SearchedTable<T>(props: SearchedTableProps<T>): ReactNode {
  const { label, searchLabel, columns, rows, keyOf, wordsOf, none, searchedFrom = 0 } = props;
  const { of } = useText().common;
  const change = useChangeSearch<Words>();
  const { q = '' }: Words = useSearch({ strict: false });
  const wanted = q.toLowerCase();
  const shown = rows.filter((row) => wordsOf(row).join('\n').toLowerCase().includes(wanted));
  return (
    <>
      {(rows.length >= searchedFrom || q !== '') && (
        <SearchField
          label={searchLabel}
          value={q}
          status={shown.length === rows.length ? undefined : of(shown.length, rows.length)}
          onChange={(words) => change({ q: words || undefined })}
        />
      )}
      {shown.length === 0 ? <p>{none}</p> : <Table label={label} columns={columns} rows={shown} keyOf={keyOf} />}
    </>
  );
}

interface PagedTableProps<T> {
  /** What the table lists, and what its search looks for. */
  readonly label: string;
  readonly searchLabel: string;
  readonly columns: readonly Column<T>[];
  readonly pages: Pages<T>;
  readonly keyOf: (row: T) => string;
  /** What is said when no row has the words. */
  readonly none: string;
  /** Says how many rows have them. */
  readonly found: (total: number) => string;
}

/** A table that is read page by page and narrowed by the server: by words, which `q` of the page's address keeps. */
export function PagedTable<T>(props: PagedTableProps<T>): ReactNode {
  const { label, searchLabel, columns, pages, keyOf, none, found } = props;
  const change = useChangeSearch<Words>();
  const { q = '' }: Words = useSearch({ strict: false });
  const { items = [], total = 0 } = pages.data ?? {};
  return (
    <>
      <SearchField
        label={searchLabel}
        value={q}
        status={q === '' ? undefined : found(total)}
        onChange={(words) => change({ q: words || undefined })}
      />
      {items.length === 0 ? <p>{none}</p> : <Table label={label} columns={columns} rows={items} keyOf={keyOf} />}
      <Pager pages={pages} />
    </>
  );
}
