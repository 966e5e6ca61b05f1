/** What files are looked for by. */
interface FileSearch {
  readonly query: string | undefined;
  readonly parent: string | undefined;
  readonly mimeType: string | undefined;
}

/** Returns a search in the language of the API; what is searched for stands in texts of it only. */
export function searchQuery({ query, parent, mimeType }: FileSearch): string {
  return [
    'trashed = false',
    ...(query === undefined ? [] : [`(name contains ${quoted(query)} or fullText contains ${quoted(query)})`]),
    ...(parent === undefined ? [] : [`${quoted(parent)} in parents`]),
    ...(mimeType === undefined ? [] : [`mimeType = ${quoted(mimeType)}`]),
  ].join(' and ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
