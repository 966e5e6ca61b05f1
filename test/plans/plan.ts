import { z } from 'zod';

const nodeSchema = z.object({
  'Node Type': z.string(),
  'Relation Name': z.string().optional(),
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

/** Returns the pages of 8 KiB that a plan has looked at, each time it did. */
export function pagesRead(plan: Plan): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
