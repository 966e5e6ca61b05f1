import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgRoute } from '../core/routing/route-roots.ts';
import { textParam } from '../core/routing/search.ts';

const chats = createRoute({
  getParentRoute: () => orgRoute,
  path: '/chats',
  component: lazyRouteComponent(async () => import('./chats-page.tsx'), 'ChatsPage'),
});

const newChat = createRoute({
  getParentRoute: () => chats,
  path: '/',
  validateSearch: (search) => textParam(search, 'agent'),
  component: lazyRouteComponent(async () => import('./new-chat-page.tsx'), 'NewChatPage'),
});

const chat = createRoute({
  getParentRoute: () => chats,
  path: '/$chatId',
  validateSearch: (search) => ({
    ...textParam(search, 'panel'),
    ...textParam(search, 'file'),
    ...textParam(search, 'folder'),
    ...textParam(search, 'path'),
    ...textParam(search, 'message'),
  }),
  component: lazyRouteComponent(async () => import('./chat-page.tsx'), 'ChatPage'),
});

/** The pages of chats. */
export const chatsRoutes = [chats.addChildren([newChat, chat])] as const;
