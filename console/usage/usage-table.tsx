import { Link } from '@tanstack/react-router';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatDollars, formatNumber } from '../core/text/numbers.ts';
import { type Column, Table } from '../ui/page/table.tsx';
import type { Grouping } from './choices.ts';
import { lineName } from './line-name.ts';
import { MOST_LINES, type UsageLine, type UsageReport } from './queries.ts';
import { type UsageText, useUsageText } from './text.ts';
import classes from './usage.module.css';

/** All numbers of a report, line by line. */
export function UsageTable({ report: { lines, group_by: by } }: { readonly report: UsageReport }) {
  const text = useUsageText();
  const rows = by === 'day' ? lines.toReversed() : lines;
  return (
    <>
      <Table
        label={text.title}
        columns={columnsOf(by, text)}
        rows={rows.map((line, at) => ({ ...line, at }))}
        keyOf={({ at }) => String(at)}
      />
      {by !== 'day' && lines.length === MOST_LINES && <p className={classes.note}>{text.first(MOST_LINES)}</p>}
    </>
  );
}

function columnsOf(by: Grouping, text: UsageText): readonly Column<UsageLine & { readonly at: number }>[] {
  const number = (key: string, title: string, of: (line: UsageLine) => string) => ({
    key,
    title,
    isNumber: true,
    cell: of,
  });
  return [
    { key: 'name', title: text.groupings[by], cell: (line) => <LineName line={line} by={by} /> },
    number('turns', text.turns, ({ turns }) => formatNumber(turns)),
    number('input', text.input, ({ input_tokens: n }) => formatNumber(n)),
    number('cached', text.cachedColumn, ({ cached_input_tokens: n }) => formatNumber(n)),
    number('output', text.output, ({ output_tokens: n }) => formatNumber(n)),
    number('cost', text.cost, ({ cost_usd: cost }) => (cost === null ? text.noPrice : formatDollars(cost))),
  ];
}

function LineName({ line, by }: { readonly line: UsageLine; readonly by: Grouping }) {
  const [text, orgId] = [useUsageText(), useOrgId()];
  const name = lineName(line, by, text);
  if (line.key === null || line.name === null) return name;
  if (by === 'chat')
    return (
      <Link to="/o/$orgId/chats/$chatId" params={{ orgId, chatId: line.key }}>
        {name}
      </Link>
    );
  if (by === 'user')
    return (
      <Link to="/o/$orgId/members/$userId" params={{ orgId, userId: line.key }}>
        {name}
      </Link>
    );
  return name;
}
