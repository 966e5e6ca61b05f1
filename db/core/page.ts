/** A requested page of a list; undefined means no bound. */
export interface Page {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A page of a list, as it was read. */
export interface Listed<T> {
  readonly items: readonly T[];
  /** The number of records in the whole list. */
  readonly total: number;
  /** The offset of the next page; undefined for the last page. */
  readonly nextOffset: number | undefined;
}

/** The number of records on one page. */
export const MAX_PAGE_ROWS = 1_000;
/** A page ends with the record that reaches this many bytes, however many records were requested. */
const MAX_PAGE_BYTES = 4 * 1024 ** 2;

/** A list, in SQL. */
interface List {
  /** The name of the prepared statement; without a name it is planned each time. */
  readonly name?: string;
  readonly columns: string;
  /**
   * An SQL expression for the size of a record in a response, in bytes, as far as its own fields decide it. Never null.
   */
  readonly bytes: string;
  /** `from ... where ...` */
  readonly source: string;
  readonly order: string;
  readonly values: readonly unknown[];
  readonly page: Page;
  /** A statement that counts the list, when counting `source` would be wrong or slow. */
  readonly total?: string;
}

/** A statement in the form that `pg` takes. */
interface PageStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

type Run = (statement: PageStatement) => Promise<readonly object[]>;

interface PageRow {
  readonly bytesRead: number;
  readonly rowsRead: number;
  readonly rowBytes: number;
  /** Set in the last row of a page when more may follow. */
  readonly total: number | null;
}

/**
 * Reads a page of a list. Its rows and bytes are bounded, but it contains at least one record, so that following
 * `nextOffset` reaches the end. One statement: the records are counted only when the page is not the whole list.
 */
export async function readPage<T extends object>(run: Run, list: List): Promise<Listed<T>> {
  const { limit = MAX_PAGE_ROWS, offset = 0 } = list.page;
  const rows = (await run(pageStatement(list, limit, offset))) as (T & PageRow)[];
  const end = offset + rows.length;
  const total = rows.length === 0 && offset > 0 ? await count(run, list) : (rows.at(-1)?.total ?? end);
  return { items: rows.map(toItem), total, nextOffset: rows.length > 0 && end < total ? end : undefined };
}

// A window without an order takes the rows as they come. Values stored outside their row are not read to be measured,
// nor is anything beyond the page; `total` is evaluated for one row, or not at all.
function pageStatement(list: List, limit: number, offset: number): PageStatement {
  const { name, columns, bytes, source, order, values } = list;
  const limitParameter = `$${values.length + 1}`;
  return {
    ...(name !== undefined && { name }),
    text: `select page.*, case when "rowsRead" = ${limitParameter}::int or "bytesRead" >= ${MAX_PAGE_BYTES}
        then ${totalOf(list)} end as total
      from (
        select listed.*, sum("rowBytes") over run as "bytesRead", count(*) over run as "rowsRead"
        from (
          select ${columns}, ${bytes} as "rowBytes" ${source} order by ${order}
          limit ${limitParameter}::int offset $${values.length + 2}::int
        ) listed window run as (rows unbounded preceding)
      ) page where "bytesRead" - "rowBytes" < ${MAX_PAGE_BYTES}`,
    values: [...values, limit, offset],
  };
}

async function count(run: Run, list: List): Promise<number> {
  const { name, values } = list;
  const named = name !== undefined && { name: `${name}-count` };
  const [row] = (await run({ ...named, text: `select ${totalOf(list)} as total`, values: [...values] })) as {
    total: number;
  }[];
  return row?.total ?? 0;
}

function totalOf({ total, source }: List): string {
  return total ?? `(select count(*) ${source})`;
}

function toItem<T extends object>(row: T & PageRow): T {
  const { bytesRead: _bytesRead, rowsRead: _rowsRead, rowBytes: _rowBytes, total: _total, ...item } = row;
  return item as unknown as T;
}
