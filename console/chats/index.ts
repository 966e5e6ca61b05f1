export { ChatPage } from './chat-page.tsx';
export { ChatsPage } from './chats-page.tsx';
export { NewChatPage } from './new-chat-page.tsx';
