import { parseExactJson } from '../../domain/core/objects/exact-json.ts';

/** A row that has the JSON under these names as text, because the library would change its numbers. */
export type WithJsonTexts<Row, Name extends keyof Row> = Omit<Row, Name> & {
  readonly [Each in Name]: string | Extract<Row[Each], null>;
};

/** Returns a row with the JSON that it has as text. */
export function parseJsonTexts<Row, const Name extends keyof Row>(
  row: WithJsonTexts<Row, Name>,
  names: readonly Name[],
): Row {
  const texts: Readonly<Record<Name, string | null>> = row;
  const values = names.map((name) => [name, texts[name] === null ? null : parseExactJson(texts[name])]);
  return { ...row, ...Object.fromEntries(values) } as Row;
}
