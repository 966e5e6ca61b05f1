import { useRouter } from '@tanstack/react-router';

/** Returns the address of a chat; undefined in a console that has no page for chats. */
export function useChatAddress(): ((orgId: string, chatId: string) => string) | undefined {
  const { routesByPath } = useRouter();
  if (!('/o/$orgId/chats/$chatId' in routesByPath)) return undefined;
  return (orgId, chatId) => `/o/${orgId}/chats/${chatId}`;
}
