import { z } from 'zod';

const nodeSchema = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
  'Index Name': z.string().optional(),
  'Actual Rows': z.number().default(0),
  'Shared Hit Blocks': z.number().default(0),
  'Shared Read Blocks': z.number().default(0),
  get Plans() {
    return z.array(nodeSchema).optional();
  },
});

/** A node of a plan that was run, with what it did, in the words of `explain (analyze, buffers, format json)`. */
export type Plan = z.output<typeof nodeSchema>;

/** What `auto_explain` reports of a statement. */
export const planSchema = z.object({ 'Query Text': z.string(), Plan: nodeSchema });

/** Returns the tables that a plan reads from one end to the other. */
export function tablesReadWhole(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(tablesReadWhole)];
}

/**
 * Returns the pages of 8 KiB of tables and indexes that the scans of a plan have looked at, each time they did. A node
 * that writes is left out: what it looks at grows with the rows that it writes alone, and where its connection does not
 * know the table, or must forget it because another has analyzed it, it also reads the table's description in the
 * catalog: a hundred pages for a table with many indexes.
 */
export function pagesScanned(plan: Plan): number {
  const below = plan.Plans ?? [];
  const isScan = plan['Node Type'].endsWith(' Scan') && (plan['Relation Name'] ?? plan['Index Name']) !== undefined;
  const own = isScan ? pagesOf(plan) - below.reduce((sum, each) => sum + pagesOf(each), 0) : 0;
  return below.reduce((sum, each) => sum + pagesScanned(each), own);
}

/**
 * Returns how many values the loose scans of a plan have found: each descends an index once for a value, and what a
 * statement looks at grows with them.
 */
export function valuesFound(plan: Plan): number {
  const own = plan['Node Type'] === 'Recursive Union' ? plan['Actual Rows'] : 0;
  return (plan.Plans ?? []).reduce((sum, each) => sum + valuesFound(each), own);
}

function pagesOf(plan: Plan): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
