import { Link } from '@tanstack/react-router';
import { useOrgId } from '../core/session/session-context.tsx';
import { formatDollars, formatNumber } from '../core/text/numbers.ts';
import { TIME_LOCALE } from '../core/text/times.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Pager } from '../ui/page/pager.tsx';
import { type Column, Table } from '../ui/page/table.tsx';
import { showInvisible } from '../ui/visible.ts';
import type { Grouping } from './choices.ts';
import { type UsageLine, type UsageQuery, type UsageReport, useUsageLines } from './queries.ts';
import { type UsageText, useUsageText } from './text.ts';

/** All numbers of a report, line by line: days with the last one first. */
export function UsageTable({ usage, report }: { readonly usage: UsageQuery; readonly report: UsageReport }) {
  if (report.group_by === 'day') return <Lines by="day" lines={report.lines.toReversed()} />;
  return <PagedLines usage={{ ...usage, by: report.group_by }} />;
}

function PagedLines({ usage }: { readonly usage: UsageQuery }) {
  const pages = useUsageLines(usage);
  return (
    <>
      <Loaded query={pages}>{({ items }) => <Lines by={usage.by} lines={items} />}</Loaded>
      <Pager pages={pages} />
    </>
  );
}

function Lines({ by, lines }: { readonly by: Grouping; readonly lines: readonly UsageLine[] }) {
  const text = useUsageText();
  return (
    <Table
      label={text.title}
      columns={columnsOf(by, text)}
      rows={lines.map((line, at) => ({ ...line, at }))}
      keyOf={({ at }) => String(at)}
    />
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

const days = new Intl.DateTimeFormat(TIME_LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Returns what a line of a report is about, in words. */
export function lineName({ key, name }: Pick<UsageLine, 'key' | 'name'>, by: Grouping, text: UsageText): string {
  if (by === 'day') return days.format(new Date(`${(key ?? '').slice(0, 10)}T00:00:00Z`));
  if (by === 'model') return showInvisible(name ?? key ?? text.gone.model);
  return name === null ? text.gone[by] : showInvisible(name);
}
