import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ChatList } from './chat-list.tsx';
import classes from './chat-page.module.css';

/** The list of chats beside the one that is open. A phone shows one of the two. */
export function ChatsPage(): ReactNode {
  const { chatId } = useParams({ strict: false });
  return (
    <div className={classes.split} data-open={chatId === undefined ? undefined : ''}>
      <ChatList />
      <div className={classes.content}>
        <Outlet />
      </div>
    </div>
  );
}
