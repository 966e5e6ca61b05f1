import { createLink, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { type ComponentProps, type ComponentType, type ReactNode, useState } from 'react';
import { type PermissionKey, useRefusal } from '../../core/permissions.ts';
import { type NewRecordPath, useChangeSearch } from '../../core/routing/search.ts';
import { useOrgId } from '../../core/session/session-context.tsx';
import { Button, buttonClass } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { type Column, Empty, InlineCode, Loaded, Page, Pager, type Reading, Table } from '../page/page.tsx';
import type { Pages } from '../../core/http/use-answer.ts';
import { useText } from '../../core/text/text-context.tsx';
import { SearchField } from '../controls/search-field.tsx';
import type { MenuItem } from '../overlays/menu.tsx';
import { type ActiveFilter, FilterChips } from '../page/filter-chips.tsx';
import { showInvisible } from '../visible.ts';

/** What a list answers: its rows, or those that were read of it. */
type Rows<T> = readonly T[] | { readonly items: readonly T[] };

/** What a page says that lists records, under the names that the texts of capabilities have for it. */
interface ListTexts {
  readonly title: string;
  readonly lead?: string;
  /** Stands in place of the list while there is nothing to list: that, and what such records are for. */
  readonly empty: string;
  readonly emptyWhy: string;
  /** Names what adds a record: "Add an agent". */
  readonly add: string;
  /** Stands above the form that adds one. */
  readonly addLead?: string;
}

/** A record that is added by a form in a dialog. */
interface AddByForm {
  /** The right to add a record. */
  readonly right: PermissionKey;
  /** The title of the dialog; that of the button unless given. */
  readonly title?: string;
  /** The form in the dialog, which is closed once the form is done. */
  readonly form: ComponentType<{ readonly onDone: () => void }>;
}

interface AddOnPage {
  readonly right: PermissionKey;
  /** The page on which a new record begins. */
  readonly to: NewRecordPath;
}

interface ListPageProps<T, Data extends Rows<T>> {
  readonly text: ListTexts;
  /** The picture of an empty list. */
  readonly icon: ReactNode;
  readonly query: Reading<Data>;
  /** Whether the list was asked for narrowed: then none of it may fit, and others be there. */
  readonly isNarrowed?: boolean;
  /** What adds a record: beside the title, or in place of the list while that is empty. */
  readonly add: AddByForm | AddOnPage;
  /** Shows the list, which has at least one row unless it was narrowed. */
  readonly children: (data: Data) => ReactNode;
}

/** A page that lists records: read, empty, or not to be read, each with what leads on. */
export function ListPage<T, Data extends Rows<T>>(props: ListPageProps<T, Data>): ReactNode {
  const { text, icon, query, isNarrowed = false, add, children } = props;
  const [orgId, reason] = [useOrgId(), useRefusal(add.right)];
  const [isAdding, setIsAdding] = useState(false);
  const close = () => setIsAdding(false);
  const hasSome = isNarrowed || (query.data !== undefined && rowsOf(query.data).length > 0);
  const button =
    'to' in add ? (
      <AddLink to={add.to} params={{ orgId }} label={text.add} reason={reason} />
    ) : (
      <AddButton label={text.add} reason={reason} onClick={() => setIsAdding(true)} />
    );
  return (
    <Page title={text.title} lead={text.lead} actions={hasSome ? button : undefined}>
      <Loaded query={query}>
        {(data) =>
          hasSome ? (
            children(data)
          ) : (
            <Empty icon={icon} title={text.empty} action={button}>
              {text.emptyWhy}
            </Empty>
          )
        }
      </Loaded>
      {'form' in add && (
        <Dialog open={isAdding} onClose={close} title={add.title ?? text.add} description={text.addLead}>
          <add.form onDone={close} />
        </Dialog>
      )}
    </Page>
  );
}

function rowsOf<T>(data: Rows<T>): readonly T[] {
  return 'items' in data ? data.items : data;
}

interface AddButtonProps {
  /** Names what is added: "Add an agent". */
  readonly label: string;
  /** Why it cannot be added now, such as a missing right. */
  readonly reason: string | undefined;
  readonly onClick: () => void;
}

/** The button of a list that begins a new record. */
export function AddButton({ label, reason, onClick }: AddButtonProps): ReactNode {
  return (
    <Button icon={Plus} variant="primary" reason={reason} onClick={onClick}>
      {label}
    </Button>
  );
}

interface AddAnchorProps extends Omit<ComponentProps<'a'>, 'children'> {
  readonly label: string;
  readonly reason: string | undefined;
}

/** Leads to the page on which a new record begins; a button that says why where that may not be. */
const AddLink = createLink(function AddAnchor({ label, reason, ...rest }: AddAnchorProps) {
  if (reason !== undefined) return <AddButton label={label} reason={reason} onClick={() => undefined} />;
  return (
    <a {...rest} className={buttonClass('primary')}>
      <Plus aria-hidden />
      {label}
    </a>
  );
});

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

interface RecordNameProps extends Omit<ComponentProps<'a'>, 'children' | 'className'> {
  readonly name: string;
  /** Stands below the name, unless it is empty. */
  readonly note?: string;
  /** Whether the note is cut after two lines. */
  readonly isShort?: boolean;
}

/** The name of a listed record, which leads to it. */
export const RecordName = createLink(function RecordAnchor({
  name,
  note = '',
  isShort = false,
  ...rest
}: RecordNameProps) {
  return (
    <span className="column items-start">
      <a {...rest} className="link">
        {showInvisible(name)}
      </a>
      {note !== '' && (
        <span
          className={
            isShort ? `measure soft font-normal wrap-anywhere line-clamp-2` : 'measure soft font-normal wrap-anywhere'
          }
        >
          <InlineCode text={showInvisible(note)} />
        </span>
      )}
    </span>
  );
});
