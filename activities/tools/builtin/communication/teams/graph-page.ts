import { z } from 'zod';
import type { Service } from '../../../context.ts';
import { pickFields } from '../../services/pick-fields.ts';
import { readAnswer } from '../../services/read-answer.ts';

const pageSchema = z.object({ value: z.array(z.unknown()), '@odata.nextLink': z.string().max(4_000).optional() });

interface GraphList {
  readonly path: string;
  /** Of records of a page; that of the list unless given. */
  readonly size?: number;
  /** The `next` of a former page, which replaces the query. */
  readonly cursor: string | undefined;
  readonly fields: readonly string[];
}

/** Reads a page of a list of Microsoft Graph, whose answer has the address of the next one in it. */
export async function graphPage(
  service: Service,
  { path, size, cursor, fields }: GraphList,
): Promise<{ readonly items: unknown; readonly next: string | undefined }> {
  const query = size === undefined ? {} : { $top: size };
  const where = cursor === undefined ? { path, query } : { path: `${path}?${new URLSearchParams(cursor).toString()}` };
  const page = readAnswer(await service.request({ ...where, effect: 'read' }), pageSchema);
  const next = page['@odata.nextLink'];
  return { items: pickFields(page.value, fields), next: next && URL.parse(next)?.searchParams.toString() };
}
