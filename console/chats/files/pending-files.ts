import type { QueryClient } from '@tanstack/react-query';

/** Where the files of a message are added: a chat, by its id, or the first message in an organization. */
type Place = { readonly chatId: string } | { readonly orgId: string };

const NONE: readonly File[] = [];

/**
 * Takes the files that were added there before and are not uploaded yet. They are in memory, so they outlast the page
 * that they were added on, but no reload: a browser gives a file to nobody anew.
 */
export function takePending(cache: QueryClient, place: Place): readonly File[] {
  const files = cache.getQueryData<readonly File[]>(keyOf(place)) ?? NONE;
  cache.removeQueries({ queryKey: keyOf(place), exact: true });
  return files;
}

/** Keeps files that are not uploaded yet for whoever goes on with their message. */
export function keepPending(cache: QueryClient, place: Place, files: readonly File[]): void {
  if (files.length > 0) cache.setQueryData(keyOf(place), files);
}

function keyOf(place: Place) {
  return ['chats', 'pending files', place] as const;
}
