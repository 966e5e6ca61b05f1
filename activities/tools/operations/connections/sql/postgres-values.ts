import type pg from 'pg';
import { parseForeignJson } from '../../../../../domain/core/foreign-json.ts';
import { bytesAsJson } from './kept-rows.ts';

const asNumber = (text: string) => {
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? number : text;
};
const asJson = (text: string) => {
  const parsed = parseForeignJson(text, { isExact: true });
  return 'value' in parsed ? parsed.value : text;
};

type Parser = (text: string) => unknown;

/** How values are read, by the ids of their types; all others, such as times, stay as the server writes them. */
const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [16, (text) => text === 't'],
  [17, (text) => bytesAsJson(Buffer.from(text.slice(2), 'hex'))],
  // int8, int2, int4, float4, float8 and numeric: what a number of JSON would change stays a text.
  ...[20, 21, 23, 700, 701, 1700].map((id) => [id, asNumber] as const),
  [114, asJson],
  [3802, asJson],
]);
/** Lists of booleans, numbers, texts and ids, which the library takes apart. */
const LISTS: ReadonlySet<number> = new Set([1000, 1005, 1007, 1009, 1015, 1016, 1021, 1022, 1231, 2951]);

/** Returns how the values of an answer become JSON. */
export function jsonTypes(types: typeof pg.types): pg.CustomTypesConfig {
  const parserOfList = types.getTypeParser as (id: number, format: 'text') => Parser;
  const parserOf = (id: number) => (LISTS.has(id) ? parserOfList(id, 'text') : (PARSERS.get(id) ?? asIs));
  return { getTypeParser: parserOf as pg.CustomTypesConfig['getTypeParser'] };
}

function asIs(text: string): string {
  return text;
}
